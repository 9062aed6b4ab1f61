"""JaCoCo's validation targets: programs by JaCoCo's authors, each for a construct of a language that coverage must
count right.

1. Each target is compiled by several compilers, and runs bare, with JaCoCo's agent, and with `cover`. All runs must
   print the same.
2. Our report of our data must have JaCoCo's numbers: six counters of each class, method and file, and four numbers of
   each line. So must our analysis of JaCoCo's data, JaCoCo's of ours, and both of probes that were hit at random.
3. Comments in the targets say what JaCoCo's authors expect of a line, for the compilers that JaCoCo's build has.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from classhook.coverage.analysis import analyze
from tests import peers
from tests.coverage.conftest import class_files, ours, random_data
from tools.compare.fetching import Failed
from tools.compare.libraries import HERE, Built, Workshop
from tools.compare.running import Oracle, compare, execute, named, passed
from tools.strangers.outcome import Difference, Outcome, Row
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.jacoco import comments
from tools.strangers.suites.jacoco.builds import VALIDATION, Build, Sources, builds, path

SEEDS = (1, 2, 3)
PART = re.compile(r"([a-z]+)(\d*)/.*")  # in a test's name
#: By pattern of the test's name.
EXPLAINED = {
    r"java16/RecordsTarget:(21|24|29) by ecj": "JaCoCo 0.8.16 counts the same: ecj 3.43 gives constructors that it"
    " makes for records line 1; ecj 3.41, which JaCoCo's build has, the record's line",
}
NOTES = (
    "Compilers: javac 17 (`--release 7`), javac 25 (8, 11, 17, 21, 25; for targets of Java 27 its preview features),"
    " ecj (8, 17), kotlinc 1.3 to 2.4, Groovy 3 and 5, Scala 2.13 and 3.",
    "Left out: comments that call a method of JaCoCo's tests, and those for compilers that JaCoCo's build does not use.",
)


@dataclass
class Table:
    """Rows by part, JVM and rules."""

    rows: dict[tuple[str, str, str], Row] = field(default_factory=dict)

    def add(self, jvm: str, rules: str, build: Build, verdicts: Iterable[tuple[str, str]]) -> None:
        """Adds tests, each with what differs."""
        for test, what in verdicts:
            part = PART.sub(lambda found: f"{found[1].capitalize()} {found[2]}".strip(), test)
            row = self.rows.setdefault((part, jvm, rules), Row(part, jvm, rules, 0))
            row.tests += 1
            if what:
                name = f"{test} by {build.title}"
                why = next((why for pattern, why in EXPLAINED.items() if re.match(pattern, name)), "")
                row.differences.append(Difference(name, what, why))

    def sorted(self) -> list[Row]:
        """With a part's rows together."""
        parts = [*dict.fromkeys(row.part for row in self.rows.values())]
        return sorted(self.rows.values(), key=lambda row: parts.index(row.part))


def run(place: Place) -> Outcome:
    root, version = place.clone("jacoco", "jacoco")
    shop = Workshop(place.fetcher, place.folder).inner("built")
    stubs = shop.java("javac17", shop.scratch / "stubs", root.rglob("validation/targets/*.java"), [])
    driver = shop.java("javac17", shop.scratch / "driver", [HERE / "java" / "Targets.java"], [])
    sources, oracle, agent = Sources(root, stubs), Oracle(shop), shop.fetcher.jar(peers.JACOCO)
    table, notes, rejected = Table(), [*NOTES], dict[str, list[str]]()
    for build in builds(sources, place.short):
        print(build.title, flush=True)
        folder = shop.inner(build.title.replace(" ", "-")).scratch
        files = dict(sources.targets(*build.languages))
        try:
            needs = build.compile(sources, shop, classes := folder / "classes", [*files.values()])
        except Failed as failed:
            notes.append(f"{build.title} compiles nothing: {str(failed).strip().splitlines()[-1]}")
            continue
        owners = dict(owned(classes))
        made = {target: file for target, file in files.items() if target in owners.values()}
        for target in files.keys() - made.keys():
            rejected.setdefault(target, []).append(build.title)
        table.add("none", "cover, hits at random", build, verdicts(made, owners, at_random(classes, oracle)))
        words = (*build.options, "-ea", "-cp", path([classes, stubs, driver, *needs]), "Targets", classes)
        for release in (one for one in place.jvms if one >= build.release):
            (data := folder / str(release)).mkdir()
            texts = differing(Built(classes, (VALIDATION,), words, release), agent, oracle, data)
            table.add(str(release), "cover", build, verdicts(made, owners, texts))
            if build.as_jacoco:
                said = comments.verdicts(sources, classes, data / "data0", made.items())
                table.add(str(release), "cover, comments", build, said)
        shutil.rmtree(folder)
    return Outcome(version, table.sorted(), [*notes, *not_compiled(rejected)])


def not_compiled(rejected: Mapping[str, list[str]]) -> list[str]:
    """A note if compilers rejected targets. `rejected`: the compilers by target."""
    compilers = dict.fromkeys(one for some in rejected.values() for one in some)
    return [f"Not compiled: {len(rejected)} targets, each by some of {together(compilers)}."] if rejected else []


def together(titles: Iterable[str]) -> str:
    """The compilers of these titles; versions of one with the same options share an entry."""
    versions: dict[tuple[str, str], list[str]] = {}
    for title in titles:
        compiler, version, options = [*title.split(" ", 2), ""][:3]
        versions.setdefault((compiler, options), []).append(version)
    return ", ".join(" ".join([name, ", ".join(some), options]).strip() for (name, options), some in versions.items())


def owned(classes: Path) -> Iterator[tuple[str, str]]:
    """The target that each class and each source file belongs to, such as `java8/LambdaTarget`."""
    for content in class_files(classes):
        one = analyze(content)
        target = f"{one.package.split('/')[-2]}/{Path(one.source).stem}"
        yield from ((one.name, target), (f"{one.package}/{one.source}", target))


def verdicts(made: Iterable[str], owners: dict[str, str], texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The first difference of each target, of what belongs to no target, and nothing for all others."""
    found: dict[str, str] = {}
    for text in texts:
        kind, _, name = text.partition("\n")[0].partition(" ")
        owner = name.partition("(")[0].rpartition(".")[0] if kind == "method" else name
        found.setdefault(owners.get(owner, f"all/{kind}"), text)
    return ((target, found.get(target, "")) for target in dict.fromkeys([*made, *found]))


def at_random(classes: Path, oracle: Oracle) -> Iterator[str]:
    """Finds the differences between our analysis and JaCoCo's of probes that were hit at random."""
    files = [classes.with_name(f"{seed}.exec") for seed in SEEDS]
    for seed, file in zip(SEEDS, files, strict=True):
        file.write_bytes(random_data(class_files(classes), seed))
    for file, jacoco in zip(files, oracle(classes, *files), strict=True):
        yield from named(ours(classes, file.read_bytes()), jacoco)


def differing(built: Built, agent: Path, oracle: Oracle, folder: Path) -> Iterator[str]:
    """Runs the targets with and without classhook; finds the differences in nodes, and in what the targets print."""
    bare = passed(execute([Workshop.jdk(built.release) / "java", *built.words], None))

    def runs(_: Built, __: list[str | Path], number: int, run: Callable[[Path], str]) -> tuple[Path, str]:
        file = folder / f"{number}.exec"
        return file, run(file)

    found = compare(built, agent, oracle, folder, runs, lambda text: None)
    yield from (*found.same_data, *found.differ)
    yield from (f"output {said}\n  bare {bare}" for said in found.passed if said != bare)


SUITE = Suite(
    "JaCoCo's targets",
    "github.com/jacoco/jacoco, compiled by compilers of Maven Central",
    "programs for the constructs of Java, Kotlin, Groovy and Scala; all numbers must be those of JaCoCo 0.8.16, and"
    " those in the programs' comments",
    run,
)
