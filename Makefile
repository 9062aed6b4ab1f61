# Two commands: `make demo` shows the main job on a real program, `make test` runs the tests. Both install what they need
# into .venv first. PYTHON=... chooses the interpreter, JAVA_HOME=... the JDK.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml $(wildcard native/*.c native/*.h native/*/*.[ch] native/building/*.py classfile/*.py rules/*.py instrument/*.py instrument/*/*.py)

.PHONY: demo test check bench corpus clean

demo: $(VENV)/.installed
	@$(BIN)/python tests/demo/demo.py

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/mypy
	CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars $(BIN)/python -m pytest -q

# what it costs, beside its peers; writes docs/performance.md. `python -m tests.bench PART...` measures a part again
bench: $(VENV)/.installed-test
	$(BIN)/python -m tests.bench

# every class of three JVMs and four jars; writes docs/verification.md
corpus: $(VENV)/.installed-test
	CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars $(BIN)/python -m tests.corpus

$(VENV)/.installed: $(SOURCES)
	@$(PYTHON) native/building/prerequisites.py
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing classhook into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@echo "installing what the tests need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@$(BIN)/python -m tests.jars $(VENV)/jars
	@touch $@

clean:
	rm -rf $(VENV) build *.so */*.so native/_layout.py
