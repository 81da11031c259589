"""Work that shows who has learned something: a sheet of paper, and a talk about one's own code.

The files read in this order: `tasks` (what a sheet can ask, derived from an exercise), `sheets`
(which tasks each student gets), `page` (the sheets and their key for print) and `oral` (questions
about a student's own notebook).
"""
