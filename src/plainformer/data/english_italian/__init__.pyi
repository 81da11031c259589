from .sampling import SentencePair as SentencePair
from .sampling import is_held_out as is_held_out
from .sampling import sentence_pairs as sentence_pairs
