"""Exercises handed out, collected and marked: by a judge that never runs a student's code.

The files read in this order: `wire` (what is said), `worker` (who runs a student's code), `zygote`
(how one is made in no time), `channel` and `sandbox/` (how it is kept), `judge` (who marks) and
`verdict` (in which words), `hostile/` (what it was tried with). `PROTOCOL.md` is the contract
between the two sides. Around them stands a course: `course` reads it, `questions` and `manual` are
what a person marks.

What comes in from outside is read in `incoming`, `handed_in`, `taken` and `collect`; how Moodle,
Canvas and Gradescope name it, and want marks back, stands in `lms/`; `report` counts, for the
teacher.
"""
