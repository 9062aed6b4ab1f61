"""A fixed sample of the corpus: some dozens of classes of each part, with all checks of `make corpus` except javap, and
also with paced rules."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.rules.parse import load
from classhook.rules.ruleset import RuleSet
from classhook.weaving.weave import weave
from tests.conftest import Jvm, need_jar
from tools.corpus import flows, machines
from tools.corpus.check import WEAVINGS, check, rule_sets
from tools.corpus.corpora import NAMES, OneClass, classes
from tools.corpus.machines import Machine
from tools.corpus.normal import Difference, compare

CLASSES = 40
PROFILE = ["profile jdk:**::*", "profile **::*"]
COVER = [["cover jdk:** exact", "cover ** exact"], WEAVINGS["all"], ["cover jdk:**", "cover **", *PROFILE]]
PACED = ["time jdk:**::* sample 1/100", "time **::* sample 1/100"]
#: Rules by which JVMs weave classes: their own by each measure, those of jars by the measures that differ in what they
#: insert. The last rules tell which classes were woven.
LINKED = (*COVER, PACED, PROFILE, WEAVINGS["time"])
LINKED_OF_JARS = (COVER[0], WEAVINGS["all"], PACED, WEAVINGS["time"])
TREE = ["time jdk:**::* tree", "time **::* tree"]


@pytest.fixture(scope="module")
def class_path(find_jvm: Callable[[int], Jvm], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return machines.compiled(find_jvm(17).tool("javac"), tmp_path_factory.mktemp("corpus"))


def problems_of(sample: list[OneClass]) -> tuple[list[str], set[str]]:
    """Checks these classes; returns the problems and the paths of woven classes."""
    rules = {**rule_sets(), "profile": load([], PROFILE), "tree": load([], TREE), "sample": load([], PACED)}
    exact = load([], COVER[0])
    found, woven = [], set()
    for one in sample:
        checked = check(one, rules)
        found += [f"{one.path}: {problem}" for problem in flow_problems(one, exact)]
        found += [f"{one.path}: {problem}" for problem in checked.problems]
        found += [
            f"{one.path}: {skip}"
            for skip in checked.skipped["time"]
            if skip[3] in ("unsupported-code", "malformed-class")
        ]
        if checked.woven.get("time") is not None:
            woven.add(one.path)
    return found, woven


def flow_problems(one: OneClass, rules: RuleSet) -> list[str]:
    """Finds what is wrong with the control flow of a class that is woven by `cover` alone."""
    try:
        woven = weave(one.data, rules, one.in_jdk)
        if woven.data is not None:
            flows.compare(one.data, woven)
    except Exception as error:  # any exception is a finding
        return [f"{type(error).__name__}: {error}"]
    return []


def of_the_sample(rule: str, sample: list[OneClass]) -> str:
    """The rule for the sample only, if it is for the JDK's classes: hundreds of others are loaded when a JVM starts."""
    names = [
        OneClass(one.path.partition("/")[2], b"", True).name for one in sample if not one.path.endswith("-info.class")
    ]
    return re.sub(r"jdk:\*\*((?:::\*)?)", lambda found: ", ".join(f"jdk:{name}{found[1]}" for name in names), rule)


def linked(
    java: Jvm, class_path: Path, folder: Path, source: Path | None, sample: list[OneClass], woven: set[str]
) -> int:
    """Links the sample woven and, if some class fails, bare; compares, and returns how many classes verified."""
    chosen = folder / "chosen.txt"
    chosen.write_text("".join(f"{one.path}\n" for one in sample))
    machine = Machine(java.version, java.java)
    all_rules = LINKED_OF_JARS if source else LINKED
    for rules in all_rules:
        rules = [of_the_sample(rule, sample) for rule in rules] if rules is not all_rules[-1] else rules
        rules = [rule for rule in rules if "jdk:" not in rule] if source else rules
        now = machines.link(machine, class_path, folder, source, rules, chosen)
        if machines.errors(now):
            assert machines.worse(machines.link(machine, class_path, folder, source, [], chosen), now) == []
    good = [path for path, result in now.results.items() if result == "ok" and path in woven]
    names = {OneClass(path if source else path.partition("/")[2], b"", False).name for path in good}
    assert names - now.woven <= {skip[0] for skip in now.skipped}
    return len(good)


@pytest.mark.any_jvm
def test_jvm(jvm: Jvm, class_path: Path, tmp_path: Path) -> None:
    source = tmp_path / "sample.jar"
    java = Machine(jvm.version, jvm.java)
    machines.corpus(
        java,
        class_path,
        "extract",
        source,
        str(CLASSES),
        options=["--add-modules", "ALL-SYSTEM", *machines.preview(java)],
    )
    sample = list(classes(source, modules=True))
    problems, woven = problems_of(sample)
    assert problems == []
    assert linked(jvm, class_path, tmp_path, None, sample, woven) > 0.8 * len(sample)


@pytest.mark.parametrize("name", NAMES)
def test_jar(name: str, find_jvm: Callable[[int], Jvm], class_path: Path, tmp_path: Path) -> None:
    jar = need_jar(f"{name}.jar")
    everything = [one for one in classes(jar, modules=False) if not one.path.startswith("META-INF/")]
    sample = random.Random(17).sample(everything, min(CLASSES, len(everything)))
    problems, woven = problems_of(sample)
    assert problems == []
    assert linked(find_jvm(25), class_path, tmp_path, jar, sample, woven) > 0.5 * len(sample)


# ---- the checks find defects


@pytest.fixture(scope="module")
def one_class(class_path: Path) -> tuple[bytes, str, bytes]:
    """A class with loops, handlers and allocations: its bytes, its dump, and the dump of the woven class."""
    from classhook.classfile.dump import dump

    data = (class_path / "Corpus.class").read_bytes()
    woven = weave(data, rule_sets()["time"], False).data
    assert woven is not None
    assert compare(dump(data), dump(woven))["enter"] == sum(
        method.code_at > 0 for method in ClassFile.parse(data).methods
    )
    return data, dump(data), woven


def test_differences_are_found(one_class: tuple[bytes, str, bytes]) -> None:
    """Leaves out each line of the woven class's dump once."""
    from classhook.classfile.dump import dump

    _, before, woven = one_class
    lines = dump(woven).split("\n")
    tried = 0
    for at, line in enumerate(lines):
        ours = (
            line.endswith("int] [java/lang/Throwable]") and "iload" in lines[at + 1]
        )  # the handler's frame, which the JVM checks
        if line.startswith(("      ", "    line ", "    frame ", "    catch ", "method ")) and not ours and tried < 400:
            tried += 1
            with pytest.raises((Difference, KeyError, IndexError)):
                compare(before, "\n".join(lines[:at] + lines[at + 1 :]))
    assert tried == 400


def test_changed_bytes_are_found(one_class: tuple[bytes, str, bytes]) -> None:
    """Changes each jump and exception range of the woven class once."""
    from classhook.classfile.dump import dump

    _, before, woven = one_class
    cf = ClassFile.parse(woven)
    tried, unseen = 0, []
    for method in cf.methods:
        if not method.code_at:
            continue
        code = Code(woven, method.code_at, cf.pool)
        places = [code.code_at + pc + 2 for pc in code.scan().jumps16]
        places += [
            code.code_at + len(code.code) + 2 + 8 * i + j for i in range(len(code.exception_table)) for j in (1, 3, 5)
        ]
        for place in places:
            changed = bytearray(woven)
            changed[place] ^= 1 << tried % 4
            tried += 1
            try:
                compare(before, dump(bytes(changed)))
            except (Difference, ClassFormatError, KeyError, IndexError):
                continue
            unseen.append((method.name, place - code.code_at))
    assert tried > 100
    assert len(unseen) <= 1, unseen  # a range of the inserted handler may begin anywhere between two insertions


def test_misplaced_probes_are_found(class_path: Path) -> None:
    """Changes each number, jump and exception range of a covered class once."""
    data = (class_path / "Corpus.class").read_bytes()
    woven = weave(data, load([], ["cover **"]), False)
    assert woven.data is not None
    assert flows.compare(data, woven) > 3
    whole, cf = woven.data, ClassFile.parse(woven.data)
    places = [woven.integers_at + 5 * i + 3 for i in range(woven.slots)]
    for method in cf.methods:
        if method.code_at:
            code = Code(whole, method.code_at, cf.pool)
            places += [code.code_at + pc + 2 for pc in code.scan().jumps16]
            places += [
                code.code_at + len(code.code) + 2 + 8 * i + j
                for i in range(len(code.exception_table))
                for j in (1, 3, 5)
            ]
    unseen = []
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1
        woven.data = bytes(changed)
        try:
            flows.compare(data, woven)
        except (Difference, ClassFormatError, KeyError, IndexError):
            continue
        unseen.append(place)
    assert len(places) > 100
    assert len(unseen) <= len(places) // 50, unseen  # a range may begin anywhere among inserted code
