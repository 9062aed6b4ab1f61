"""Scripts that are exchanged while the program runs: by `classhook ctl PID agent`, and by attaching again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import EACH, ENVIRONMENT, PATIENCE, Jvm, Result, classhook_command
from tests.events.conftest import HEAD
from tests.extensions import needs
from tests.live.conftest import classhook

pytestmark = pytest.mark.any_jvm  # what C and Python do with it is the same on each; a test shows that

#: A script that says what it is told, by its version.
VERSION = (
    HEAD
    + """
import helper
calls = 0

@agent.on.start
def begins(e): print("V begins", helper.NAME, flush=True)

@agent.on.method_entry("Echo::answer(..)", sync=True, args=True)
def called(e):
    global calls
    calls += 1
    print("V called", e.args[0], flush=True)

@agent.command("calls")
def count(): return f"V {calls}"

@agent.on.end
def ends(e): print("V ends", calls, flush=True)
"""
)


class Talk:
    """A JVM that runs Echo."""

    def __init__(self, line: list[str | Path]) -> None:
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT
        )
        self.said = self.until("ready")

    def until(self, last: str) -> list[str]:
        """The lines up to this one, without it."""
        return self.until_one_of([last])

    def tell(self, line: str, answer: str = "") -> list[str]:
        """Sends a line to the program; returns the lines before its answer."""
        self.send(line)
        return self.until(answer or f"echo {line}")

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        print(line, file=self.process.stdin, flush=True)

    def drop(self, *queued: str) -> list[str]:
        """Makes the program drop what it keeps and collect. Queued events may be reported before the program's answer
        or after it; returns the lines besides."""
        self.send("drop")
        missing = ["dropped", *queued]
        others = []
        while missing:
            others += self.until_one_of(missing)
        return others

    def until_one_of(self, wanted: list[str]) -> list[str]:
        """The lines before the first of these, which is taken out of `wanted`."""
        assert self.process.stdout is not None
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) not in wanted:
            assert self.process.poll() is None or line, (wanted, lines)
            lines.append(line)
        wanted.remove(line)
        return lines

    def end(self) -> list[str]:
        out, _ = self.process.communicate(timeout=PATIENCE)
        return [line for line in out.splitlines() if not line.startswith("classhook: ")]


Start = Callable[..., Talk]


@pytest.fixture
def start(jvm: Jvm, classes: Path, tmp_path: Path) -> Iterator[Start]:
    made: list[Talk] = []

    def talk(*agents: str | Path) -> Talk:
        own = [word for agent in agents for word in ("--agent", agent)]
        line = [
            *classhook_command(),
            "run",
            "--quiet",
            *own,
            "-o",
            tmp_path / "data",
            "--no-cache",
            "--",
            jvm.java,
            "-Xverify:all",
        ]
        bare = [jvm.java]
        made.append(Talk([*(line if agents else bare), "-cp", classes, "Echo"]))
        return made[-1]

    yield talk
    for one in made:
        one.process.kill()
        one.process.wait()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def script(text: str, version: str = "", name: str = "my.py") -> Path:
        (tmp_path / "helper.py").write_text(f"NAME = 'helper {version}'\n")
        (tmp_path / name).write_text(text.replace("V ", f"{version} "))
        return tmp_path / name

    return script


def ctl(talk: Talk, *words: str | Path) -> Result:
    pid = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(talk.process.pid)], capture_output=True, text=True
    ).stdout.split()
    return classhook("ctl", pid[0] if pid else str(talk.process.pid), *words)


@EACH
def test_reload(start: Start, write: Callable[..., Path]) -> None:
    script = write(VERSION, "one")
    talk = start(script)
    assert talk.said == ["one begins helper one"]
    assert talk.tell("a") == ["one called a"]
    write(VERSION, "two")
    done = ctl(talk, "agent", "reload")
    assert done.status == 0, done.stderr
    assert "1 class changed" in done.stderr
    assert talk.tell("b") == ["one ends 1", "two begins helper two", "two called b"]
    assert ctl(talk, "calls").stdout == "two 1\n"
    assert [line for line in ctl(talk, "rules").stdout.splitlines() if "event" in line] == [
        f"   1  event Echo::answer(..) handler {number(talk)} args"
    ]
    listed = ctl(talk, "agent").stdout
    assert listed.startswith(f"{script}: 4 handlers, 0 exceptions, 0 events lost"), listed
    assert talk.end() == ["two ends 1"]


def number(talk: Talk) -> str:
    return ctl(talk, "rules").stdout.split("handler ")[1].split()[0]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("1 +\n", "my.py:1:4: invalid syntax"),
        (VERSION + "raise KeyError('late')\n", "KeyError: 'late'"),
        (HEAD + "@agent.on.method_entry('Echo answer')\ndef f(e): pass\n", "my.py:3: "),
        (HEAD + "@agent.on.klass\ndef f(e): pass\n", "no event `klass`"),
        (HEAD + "import missing_module\n", "No module named 'missing_module'"),
    ],
)
def test_a_wrong_script_changes_nothing(start: Start, write: Callable[..., Path], wrong: str, why: str) -> None:
    talk = start(write(VERSION, "one"))
    before = ctl(talk, "rules").stdout
    write(wrong, "two")
    done = ctl(talk, "agent", "reload")
    assert (done.status, done.stdout) == (1, "")
    assert why in done.stderr
    assert talk.tell("b") == ["one called b"]
    assert (ctl(talk, "rules").stdout, ctl(talk, "calls").stdout) == (before, "one 1\n")
    write(VERSION, "three")
    assert ctl(talk, "agent", "reload").status == 0
    assert talk.tell("c") == ["one ends 1", "three begins helper three", "three called c"]
    assert talk.end() == ["three ends 1"]


def test_again_and_again(start: Start, write: Callable[..., Path]) -> None:
    talk = start(write(VERSION, "v0"))
    for i in range(1, 13):
        write(VERSION, f"v{i}")
        assert ctl(talk, "agent", "reload").status == 0
        assert talk.tell("x")[-1] == f"v{i} called x"
    assert talk.end() == ["v12 ends 1"]


def test_another_script_with_options(start: Start, write: Callable[..., Path], tmp_path: Path) -> None:
    talk = start(f"{write(VERSION, 'one')}=first")
    other = write(HEAD + "print('options', dict(agent.options), flush=True)\n", "", "other.py")
    assert ctl(talk, "agent", "reload", f"{other}=a=b,c d").status == 0
    assert talk.tell("x") == ["options {'a': 'b', 'c d': ''}", "one ends 0"]
    assert ctl(talk, "agent", "reload", str(other)).status == 0
    assert ctl(talk, "agent", "list").stdout == f"{other}=a=b,c d: 0 handlers, 0 exceptions, 0 events lost\n"
    assert ctl(talk, "agent", "reload", f"{other}=").status == 0
    assert talk.tell("y") == ["options {'a': 'b', 'c d': ''}", "options {}"]
    assert ctl(talk, "agent", "reload", tmp_path / "none.py").status == 2
    talk.end()


def test_one_of_several(start: Start, write: Callable[..., Path], tmp_path: Path) -> None:
    first = write(VERSION.replace('"calls"', '"first"'), "one", "first.py")
    second = write(VERSION.replace('"calls"', '"second"'), "two", "second.py")
    talk = start(first, second)
    assert talk.tell("a") == ["one called a", "two called a"]
    write(VERSION.replace('"calls"', '"first"'), "three", "first.py")
    assert ctl(talk, "agent", "reload", first).status == 0
    assert talk.tell("b") == ["one ends 1", "three begins helper three", "two called b", "three called b"]
    assert [line.split(":")[0] for line in ctl(talk, "agent").stdout.splitlines()] == [str(first), str(second)]
    wrong = ctl(talk, "agent", "reload", write(VERSION, "x", "third.py"))
    assert (wrong.status, "which script is that? there are" in wrong.stderr) == (1, True)
    wrong = ctl(talk, "agent", "add", write(VERSION.replace('"calls"', '"second"'), "x", "third.py"))
    assert (wrong.status, f"{second} has the command `second` already" in wrong.stderr) == (1, True)
    assert ctl(talk, "agent", "add", write(VERSION, "four", "third.py")).status == 0
    assert ctl(talk, "agent", "remove", second).status == 0
    assert talk.tell("c")[-2:] == ["three called c", "four called c"]
    assert ctl(talk, "agent", "remove").status == 1
    write(VERSION.replace('"calls"', '"again"'), "five", "third.py")
    assert ctl(talk, "agent", "add", tmp_path / "third.py").status == 0
    assert ctl(talk, "agent", "remove", tmp_path / "third.py").status == 0  # of two that are the same, the later one
    assert ctl(talk, "agent").stdout.count("third.py") == 1
    assert talk.end()[-2:] == ["three ends 2", "four ends 1"]


EVENTS = """
things = []

@agent.on.object_alloc("Echo$Thing", sync=True, every="1")
def allocated(e):
    e.this.tag("thing")
    print("allocated", e.name, flush=True)

@agent.on.object_free(tagged="thing")
def freed(e): print("freed", e.name, flush=True)

@agent.on.class_load("Echo$**")
def loaded(e): print("loaded", e.name, flush=True)

@agent.on.gc_finish
def collected(e): things.append(e.pause_ns)

@agent.transform("Echo$Late")
def renamed(cls): return cls.data.replace(b"\\x01\\x00\\x04late", b"\\x01\\x00\\x04LATE")

@agent.every(0.05)
def often(): things.append("timer")

@agent.command("things")
def all_things(): return len({str(type(thing)) for thing in things})
"""


def test_events_that_only_the_new_script_asks_for(start: Start, write: Callable[..., Path]) -> None:
    """The JVM did not tell of them before, and does not afterwards."""
    talk = start(write(HEAD))
    assert talk.tell("late", "late") == []
    write(HEAD + EVENTS)
    assert ctl(talk, "agent", "reload").status == 0
    assert talk.tell("late", "LATE") == []  # a class that was there is transformed, too
    talk.tell("garbage", "garbage")  # a thread that was there is sampled once it has allocated 512 KB
    assert talk.tell("keep", "kept") == ["loaded Echo$Thing", "allocated Echo$Thing"]
    assert talk.drop("freed thing") == []
    while ctl(talk, "things").stdout != "2\n":  # collections and timers
        assert talk.process.poll() is None
    write(HEAD)
    assert ctl(talk, "agent", "reload").status == 0
    assert talk.tell("late", "late") == []
    assert talk.tell("keep", "kept") == []
    assert talk.tell("drop", "dropped") == []
    assert talk.end() == []


TAGS = """
kept = []

@agent.on.method_entry("Echo::answer(..)", sync=True)
def called(e):
    if kept: print("tagged", kept[0].tagged, kept[0].tag("V ".strip()), flush=True)

@agent.on.object_alloc("Echo$Thing", sync=True, every="1")
def allocated(e):
    kept.append(e.this.keep())
    e.this.tag("V ".strip())
    print("allocated", flush=True)
"""


def test_marks_stay(start: Start, write: Callable[..., Path]) -> None:
    """Also if objects get weak references meanwhile, since somebody asks for their end."""
    talk = start(write(HEAD + TAGS + "import builtins; builtins.kept = kept\n", "one"))
    talk.tell("garbage", "garbage")
    assert talk.tell("keep", "kept") == ["allocated"]
    again = TAGS.replace("kept = []", "from builtins import kept")
    write(HEAD + again + '@agent.on.object_free(tagged="two")\ndef freed(e): print("freed")\n', "two")
    assert ctl(talk, "agent", "reload").status == 0
    assert [line.rpartition(" ")[0] for line in talk.tell("a") + talk.tell("b")] == ["tagged one", "tagged two"]
    write(HEAD + again, "three")
    assert ctl(talk, "agent", "reload").status == 0
    assert [line.rpartition(" ")[0] for line in talk.tell("a") + talk.tell("b")] == ["tagged two", "tagged three"]


JVMPI = """
from classhook import jvmpi
freed = 0
def notify(e):
    if e.event_type == jvmpi.EVENT_METHOD_ENTRY: print("V entered", flush=True)
    if e.event_type == jvmpi.EVENT_JVM_INIT_DONE: print("V up", flush=True)
    if e.event_type == jvmpi.EVENT_JVM_SHUT_DOWN: print("V down", flush=True)
    if e.event_type == jvmpi.EVENT_GC_FINISH: print("V collected", flush=True)
jvmpi.NotifyEvent = notify
jvmpi.EnableEvent(jvmpi.EVENT_METHOD_ENTRY, "Echo::answer(..)")
for one in (jvmpi.EVENT_JVM_INIT_DONE, jvmpi.EVENT_JVM_SHUT_DOWN, jvmpi.EVENT_GC_FINISH): print(jvmpi.EnableEvent(one, None), end="")
print()
"""


@needs("jvmpi")
def test_jvmpi(start: Start, write: Callable[..., Path]) -> None:
    talk = start(write(JVMPI, "one"))
    assert talk.tell("a") == ["one entered"]
    write(JVMPI + "1 / 0\n", "wrong")
    assert "ZeroDivisionError" in ctl(talk, "agent", "reload").stderr
    assert talk.tell("b") == ["000", "one entered"]
    write(JVMPI, "two")
    assert ctl(talk, "agent", "reload").status == 0
    assert talk.tell("c") == ["000", "one down", "two up", "two entered"]
    talk.drop("two collected")
    other = ctl(talk, "agent", "add", write(JVMPI, "three", "other.py"))
    assert "uses JVMPI already, and only one script of a JVM can use it" in other.stderr
    assert "two entered" in talk.tell("d")
    assert talk.end()[-1] == "two down"


def test_attach_detach_and_attach_another(start: Start, write: Callable[..., Path], tmp_path: Path) -> None:
    talk = start()
    pid = str(talk.process.pid)
    for i, version in enumerate(("one", "two", "three")):
        text = VERSION if i != 1 else VERSION + EVENTS
        done = classhook(
            "attach", pid, "--agent", write(text, version, f"{version}.py"), "-o", tmp_path / "data", "--quiet"
        )
        assert (done.status, done.stderr) == (0, "")
        assert talk.tell("a")[-2:] == [f"{version} begins helper {version}", f"{version} called a"]
        assert talk.tell("late", "LATE" if i == 1 else "late")[-1:] == [f"{version} called late"]
        if i == 1:
            talk.tell("garbage", "garbage")
            assert talk.tell("keep", "kept")[-1:] == ["allocated Echo$Thing"]
            talk.drop("freed thing")
        assert classhook("ctl", pid, "calls").stdout.startswith(version)
        assert classhook("detach", pid).status == 0
        assert talk.tell("b") == [f"{version} ends {2 if i != 1 else 5}"]
        assert talk.tell("late", "late") == []
    assert talk.end() == []


@needs("jvmpi")
def test_jvmpi_again(start: Start, write: Callable[..., Path], tmp_path: Path) -> None:
    talk = start()
    for version in ("one", "two"):
        done = classhook(
            "attach", str(talk.process.pid), "--agent", write(JVMPI, version), "-o", tmp_path / "data", "--quiet"
        )
        assert (done.status, done.stderr) == (0, "")
        assert talk.tell("a")[-2:] == [f"{version} up", f"{version} entered"]
        talk.drop(f"{version} collected")
        assert classhook("detach", str(talk.process.pid)).status == 0
        assert f"{version} down" in talk.tell("b")
    assert talk.end() == []


def test_no_script_is_there(start: Start, write: Callable[..., Path], tmp_path: Path) -> None:
    talk = start()
    classhook("attach", str(talk.process.pid), "-e", "count Echo::*", "-o", tmp_path / "data", "--quiet")
    done = classhook("ctl", str(talk.process.pid), "agent", "reload")
    assert (done.status, "no script of handlers is in this JVM" in done.stderr) == (1, True)
    assert classhook("ctl", str(talk.process.pid), "agent", "load").status == 2


#: Its handler waits until the script that takes its place has been executed, and imports then.
LATE_IMPORT = (
    HEAD
    + """
import builtins, time, helper
builtins.executed_V = True

@agent.on.method_entry("Echo::answer(..)")
def called(e):
    while "one" == "V".strip() and not hasattr(builtins, "executed_two"): time.sleep(0.01)
    import helper
    print("V imports", helper.NAME, flush=True)
"""
)


def test_an_older_script_imports_its_own_modules(start: Start, write: Callable[..., Path]) -> None:
    talk = start(write(LATE_IMPORT.replace('"V"', '"V "').replace("executed_V", "executed_one"), "one"))
    assert talk.tell("a") == []
    write(LATE_IMPORT.replace('"V"', '"V "').replace("executed_V", "executed_two"), "two")
    done = ctl(talk, "agent", "reload")
    assert done.status == 0, done.stderr
    assert talk.until("one imports helper one") == []
    talk.send("b")
    answers = ["echo b", "two imports helper two"]
    assert talk.until_one_of(answers) + talk.until_one_of(answers) == []


#: Takes its first dump, for which a module of JVMPI's is imported, when it is asked.
DUMPS = (
    HEAD
    + """
from classhook import jvmpi
jvmpi.NotifyEvent = lambda e: print("dumped", e.dump_level, flush=True) if e.event_type == jvmpi.EVENT_HEAP_DUMP else None

@agent.command("take")
def dump(): return str(jvmpi.RequestEvent(jvmpi.EVENT_HEAP_DUMP, None))
"""
)


@needs("jvmpi")
def test_another_script_goes_and_jvmpi_stays(start: Start, write: Callable[..., Path]) -> None:
    plain = HEAD + "import helper\n"
    talk = start(write(DUMPS, "one"), write(plain, "one", "plain.py"))
    assert ctl(talk, "agent", "reload", write(plain, "two", "plain.py")).status == 0
    asked = ctl(talk, "take")
    assert asked.stdout == "0\n", asked.stderr
    other = ctl(talk, "agent", "add", write("from classhook import jvmpi\n", "three", "other.py"))
    assert "my.py uses JVMPI already" in other.stderr, other.stderr


def test_a_handler_fails_after_the_agent_was_detached(start: Start, write: Callable[..., Path], tmp_path: Path) -> None:
    """The report is complete by then: its traceback goes to stderr."""
    talk = start()
    script = write(
        HEAD
        + """
import os, time
@agent.on.method_entry("Echo::answer(..)", sync=True)
def called(e):
    print("entered", flush=True)
    while not os.path.exists("FLAG"): time.sleep(0.01)
    raise ValueError("too late")
""".replace("FLAG", str(tmp_path / "flag"))
    )
    pid = str(talk.process.pid)
    assert classhook("attach", pid, "--agent", script, "-o", tmp_path / "data", "--quiet").status == 0
    talk.send("a")
    talk.until("entered")
    assert classhook("detach", pid).status == 0
    (tmp_path / "flag").touch()
    [said] = [line for line in talk.until("echo a") if "ValueError" in line]
    assert said.endswith('my.py:9 in called: raise ValueError("too late"); ValueError: too late'), said
