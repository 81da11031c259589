from .judging import Experiment as Experiment
from .judging import Finding as Finding
from .judging import experiment as experiment
from .judging import experiments as experiments
