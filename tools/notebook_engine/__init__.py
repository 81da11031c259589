"""Portable notebooks from the chapters: Markdown that reads well where directives mean nothing.

Reading order: `blocks` (a page as the book's own parser reads it), `index` (what can be referred
to), `citations`, `inline` (inside a paragraph: roles and links), `directives`, `render`
(a page's text), `setup_cell`, `pages` (cells), `files` (notebooks/, written or compared).

What no page uses is not known here: a directive, a role or a kind of Markdown that is new stops the
generator, which names it, the page and the line, so that nothing silently reads badly.
"""
