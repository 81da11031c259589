"""The course's interactive pictures: in Jupyter, in the static page, and on paper.

>>> from plainformer.widgets import BPEMerges

A widget is a folder of its own: ``widget.py`` (the class), ``view.js`` and ``view.css`` (what a
reader sees and moves), and files for its words, its drawing and its picture where it has many. What
all share is in ``kit/``, formulas in JavaScript are in ``formulas/``, named as their Python twins,
and a decoder that runs in the page is in ``engine/``.

A card goes full screen, and on a page a link can carry what a reader has set: the view says what a
stranger's link may set, by the ``checks`` and ``links`` that it gives to ``kit.mount``.

`tools/new_widget.py` makes a new widget: its folder, its line in ``__init__.pyi``, its case in
``tests/widgets/cases.py``, and tests of its own.
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
