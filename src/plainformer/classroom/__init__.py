"""Hand out, collect and mark exercises, with a judge that never runs a student's code itself.

The files read in this order: `wire` (what is said), `worker` (who runs a student's code), `zygote`
(how one is started quickly), `channel` and `sandbox/` (how it is confined), `judge` (who marks)
and `verdict` (in which words), `hostile/` (what it was tried with). `PROTOCOL.md` is the contract
between the two sides. A course is built on them: `course` reads it, `questions` and `manual` are
for what a person marks.

What comes in from outside is read in `incoming`, `handed_in`, `taken` and `collect`; how Moodle,
Canvas and Gradescope name files and expect marks back is in `lms/`; `report` counts, for the
teacher. `bank/` writes the book's practice tasks as questions that such systems import.
`similar`, `borrowed` and `papers/` help a teacher to find out who can explain their work.
"""
