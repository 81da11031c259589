from .ngram import NGramModel as NGramModel
from .sequence import sequence_log_prob as sequence_log_prob
from .smoothing import witten_bell as witten_bell
