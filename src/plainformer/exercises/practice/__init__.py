"""Short tasks that a reader does in the page: find the bug, order the lines, what comes out?

Every exercise comes with wrong answers, and with a sentence that explains each of them. The tasks
are derived from these, so that nothing is written twice: a bug is one wrong answer, the lines to be
ordered are the reference's, and the values that people get wrong are what the wrong answers return.

The modules read in this order: `items` (what a task is), `results` (calls and values as text),
`bugs`, `order` and `values` (one for each kind of task), `bank` (all tasks, and the few that a
chapter's page shows).
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
