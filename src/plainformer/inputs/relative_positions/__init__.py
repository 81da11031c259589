"""How far apart two tokens are: positions that enter where queries meet keys.

In reading order:

- `rope.py`: rotary positions, which turn queries and keys;
- `alibi.py`: a penalty on distance, added to the scores.
"""

from plainformer.inputs.relative_positions.alibi import alibi_bias, alibi_slopes
from plainformer.inputs.relative_positions.rope import (
    apply_rope,
    half_from_interleaved,
    rope_angles,
)

__all__ = ["alibi_bias", "alibi_slopes", "apply_rope", "half_from_interleaved", "rope_angles"]
