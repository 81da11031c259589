from .grading import Result as Result
from .grading import grade as grade
from .registry import exercise as exercise
from .registry import exercise_ids as exercise_ids
from .session import Points as Points
from .session import check as check
from .session import hint as hint
from .session import points as points
