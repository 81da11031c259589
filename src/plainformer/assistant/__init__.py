"""Part 6, assistant: what turns a model that writes on into one that answers.

>>> from plainformer.assistant import render_chat
>>> render_chat([{"role": "user", "content": "Who are you?"}])
'<sos><|user|>Who are you?<|end|>'
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
