"""Portable notebooks from the chapters: Markdown that reads well where directives mean nothing.

Reading order: `blocks` (fences), `inline` (inside a paragraph), `index` (what can be referred to),
`citations`, `sources`, `boxes`, `voice` (roles and links), `directives`, `render` (a page's text),
`setup_cell`, `pages` (cells), `files` (notebooks/, written or compared).

An unknown directive or role stops the generator and names the page and the line, so that nothing
silently reads badly.
"""
