# Two commands: `make demo` shows the main job on a real program, `make test` runs the tests. Both install what they need
# into .venv first. PYTHON=... chooses the interpreter, JAVA_HOME=... the JDK.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml $(wildcard native/*.c native/*.h native/*.py classfile/*.py rules/*.py instrument/*.py instrument/measures/*.py)

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
	$(call install,classhook,.)
	@touch $@

# both stamps, so that nothing is built twice
$(VENV)/.installed-test: $(SOURCES)
	$(call install,classhook and what its tests need,.[test])
	@$(BIN)/python -m tests.jars $(VENV)/jars
	@touch $(VENV)/.installed $@

define install
@$(PYTHON) native/prerequisites.py
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@echo "installing $(1) into $(VENV) ..."
@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '$(2)'
endef

clean:
	rm -rf $(VENV) build *.so */*.so native/_layout.py
