from .history import History as History
from .schedules import Constant as Constant
from .schedules import Cosine as Cosine
from .schedules import InverseSquareRoot as InverseSquareRoot
from .schedules import StepDecay as StepDecay
