# Two commands matter: `make book` and `make test`. Each does all of its own set-up.
# `make book SOLUTIONS=no` leaves the exercises' solutions out. `make help` lists the other commands.
# tools/doors.py says what each of them does, and tools/course.py runs them without make.

# The Python of the environment, if there is one. `make PYTHON=python3.12 book` chooses another, with
# which the environment is then created again, and later calls keep it.
PYTHON ?= $(or $(and $(wildcard .venv/.ready),$(realpath .venv/bin/python),.venv/bin/python),python3)
WORKERS ?= 2
export WORKERS

DOORS := book serve live test test-fast lint pytest notebooks wheel bench checkpoints lock clean distclean

.PHONY: help $(DOORS)
.DEFAULT_GOAL := book

$(DOORS):
	@$(PYTHON) tools/course.py $@ $(SOLUTIONS:%=SOLUTIONS=%)

help:
	@$(PYTHON) tools/course.py
