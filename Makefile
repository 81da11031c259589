# Two commands matter: `make book` and `make test`. Each does all of its own set-up.
# `make book SOLUTIONS=no` leaves the exercises' solutions out. `make help` lists the others. What each does stands in tools/course.py, which works without make.

PYTHON ?= python3
WORKERS ?= 2
export WORKERS

DOORS := book serve test test-fast lint pytest notebooks wheel bench checkpoints lock clean distclean

.PHONY: help $(DOORS)
.DEFAULT_GOAL := book

$(DOORS):
	@$(PYTHON) tools/course.py $@ $(SOLUTIONS:%=SOLUTIONS=%)

help:
	@$(PYTHON) tools/course.py
