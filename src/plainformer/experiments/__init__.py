"""Open tasks on the trained models: find something, and have it measured.

>>> from plainformer.experiments import experiment
>>> result = experiment("decoding.next_token", "She said thank")
This cannot be measured: the text must have at least 4 words; it has 3
words.

An exercise asks for a function and compares it with a reference. An experiment asks for a finding,
such as a head or a text, and there are many right ones: whatever is given is tried out on the
model, and the verdict says what was measured.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
