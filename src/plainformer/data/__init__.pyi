from .corpora import CORPORA as CORPORA
from .corpora import Corpus as Corpus
from .corpora import cache_folder as cache_folder
from .download import CorpusUnavailable as CorpusUnavailable
from .loading import load as load
from .manual import python_manual as python_manual
