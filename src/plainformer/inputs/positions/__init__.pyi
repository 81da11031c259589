from .angles import frequencies as frequencies
from .angles import wavelengths as wavelengths
from .sinusoidal_table import shift_matrix as shift_matrix
from .sinusoidal_table import sinusoidal as sinusoidal
