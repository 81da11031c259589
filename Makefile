# Two commands matter: `make book` and `make test`. Each does all of its own set-up.
#   make book       build the course into _build/html
#   make serve      show it on a local web server
#   make test       check everything: style, types, layers, units, notebooks, the site in a browser
#   make test-fast  the checks for daily work: no browser, no kernel, no build, fewer random cases
#   make notebooks  write notebooks/ anew from the chapters
#   make bench      measure side by side with peers (never part of the tests)
#   make checkpoints  train anew the models that the book ships (about a quarter of an hour; needs the recorded text)
#   make lock       pin requirements.txt anew from pyproject.toml
#   make clean      delete what was built (make distclean: the environment too)

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
WORKERS ?= 2
DEALT  := --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder

export PYTHONUTF8 := 1

.PHONY: book serve test test-fast lint pytest notebooks bench checkpoints lock clean distclean
.DEFAULT_GOAL := book

# The environment is made anew, or mended, whenever what it is made from has changed.
$(READY): requirements.txt pyproject.toml tools/setup_venv.py
	@$(PYTHON) tools/setup_venv.py $(VENV)

book: $(READY)
	@$(BIN)/python tools/build_book.py

serve: book
	@$(BIN)/python tools/serve_book.py

test: lint book pytest

# A cell's time limit is the book's; on a machine that does other work as well the tests allow more.
test: export PLAINFORMER_CELL_SECONDS := 1200

test-fast: $(READY)
	OMP_NUM_THREADS=1 HYPOTHESIS_PROFILE=fast $(BIN)/pytest -m "not slow" $(DEALT)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/notebooks.py --check

# The site's and the widgets' tests need a Chromium: it is looked for, then installed.
# tests/conftest.py says which tests stay together in one worker, and which come first. Each worker
# computes on one core, so that two do not crowd each other.
pytest: $(READY) book
	@$(BIN)/python tools/chromium.py
	@$(BIN)/python tools/bubblewrap.py
	OMP_NUM_THREADS=1 $(BIN)/pytest $(DEALT)

notebooks: $(READY)
	$(BIN)/python tools/notebooks.py

bench: $(READY) book
	$(BIN)/python benchmarks/tokenization.py
	$(BIN)/python benchmarks/positions.py
	$(BIN)/python benchmarks/attention.py
	$(BIN)/python benchmarks/blocks.py
	$(BIN)/python benchmarks/decoding.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/translation.py
	$(BIN)/python benchmarks/site.py

# One core, so that the same settings give the same weights.
checkpoints: $(READY)
	rm -rf _build/course_lm _build/course_translator
	$(BIN)/python -m plainformer.training language-model --out _build/course_lm
	$(BIN)/python -m plainformer.training translation --out _build/course_translator
	mkdir -p src/plainformer/checkpoints
	for name in course_lm course_translator; do \
	  rm -rf src/plainformer/checkpoints/$$name && \
	  cp -r _build/$$name/model src/plainformer/checkpoints/$$name || exit 1; done
	$(BIN)/python -m plainformer.training.scaling src/plainformer/checkpoints/scaling.json

lock: $(READY)
	$(BIN)/python tools/lock_requirements.py

clean:
	rm -rf _build

distclean: clean
	rm -rf $(VENV)
