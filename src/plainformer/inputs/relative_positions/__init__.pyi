from .alibi import alibi_bias as alibi_bias
from .alibi import alibi_slopes as alibi_slopes
from .rope import apply_rope as apply_rope
from .rope import interleaved_to_half as interleaved_to_half
from .rope import rope_angles as rope_angles
