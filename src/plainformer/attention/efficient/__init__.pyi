from .blockwise import blockwise_attention as blockwise_attention
from .blockwise import online_attention as online_attention
