"""What the widgets of the course share, in Python and in the page.

In Python: `base` (the class), `front_end` (its files), `site` (what a page serves), `checks`. In
the page: ``host.js`` takes the place of Jupyter, ``kit.js`` has the controls and ``mount``, which
ties a view to its state; the other files draw what several widgets show.
"""
