"""*Edit and run*: Python in the page, for a site that is built with ``make live``.

Reading order: `packages` (what a browser needs to run the course: Pyodide's core and some wheels),
`cells` (which code cells a page has), `probe` (which of them run with nothing else), and `site`
(copies the built book and puts the door into it). What a reader's browser runs is in `page/`:
``live.js`` on the page, ``worker.js`` in a worker of its own, and ``session.py`` in Python.
"""
