from .backward import AttentionGradients as AttentionGradients
from .backward import attention_backward as attention_backward
from .backward import softmax_backward as softmax_backward
from .differences import central_differences as central_differences
from .projections import ProjectionGradients as ProjectionGradients
from .projections import linear_backward as linear_backward
from .projections import projection_backward as projection_backward
