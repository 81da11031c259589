from .translator import Translator as Translator
from .translator import collate as collate
from .translator import exact_match as exact_match
from .translator import translation_loss as translation_loss
from .translator import translation_run as translation_run
