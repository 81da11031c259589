from .alibi import alibi_bias as alibi_bias
from .alibi import alibi_slopes as alibi_slopes
from .rope import apply_rope as apply_rope
from .rope import half_layout_order as half_layout_order
from .rope import rope_angles as rope_angles
