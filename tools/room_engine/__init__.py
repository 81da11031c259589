"""Makes the rooms of a new chapter, exercise or widget: every file, every line in a list.

Reading order: `names` (what a new thing may be called), `rooms` (writing all or nothing),
`unfilled` (what is still to be filled, which the build and the tests refuse). The three commands
stand beside this folder: ``new_chapter.py``, ``new_exercise.py``, ``new_widget.py``.
"""
