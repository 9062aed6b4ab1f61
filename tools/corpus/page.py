"""Makes docs/explained/verification.md from the results of the corpus run."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from tools.corpus.check import Skip

if TYPE_CHECKING:
    from tools.corpus.__main__ import Part

WHY = {
    "code-too-large": (
        "They are timed and counted; their allocations are not. They build a table in one long piece of code, and with"
        " a probe behind each allocation they would exceed HotSpot's limit of 8,000 bytes for compilation."
    ),
    "empty-finalizer": (
        "The JVM ignores a `finalize()` that only returns. With a probe in it, each object of the class would have to"
        " be finalized."
    ),
    "refused-by-jvm": "The JVM does not allow it to be changed.",
    "tracker-stands-on-it": (
        "The probes themselves use Unsafe. The methods of the other classes switch the stacks of virtual threads, and"
        " with them the shadow stack of the timing; the agent counts them, but does not time them."
    ),
}
NAMES = {"h2": "H2", "eclipse-jdt-core": "ecj", "groovy-all": "groovy", "fastutil": "fastutil"}

INTRODUCTION = """# Verification

`make corpus` wrote this page on {date}; the sections from [Beside other agents](#beside-other-agents-and-loaders) on
name the tools that wrote them. `make corpus` weaves every class of three JVMs and of four jars and has the JVM's
verifier check them.

`python -m tools.fuzz --help` describes the fuzzers of class files, data files and caches; `make test-all` runs a short
form of them.

| JVM | version |
|---|---|
{jvms}

The agent weaves each class as it loads, once with `time` on every method and `alloc *`, once with `count`, once with `cover`, once with `time`,
`alloc`, `cover` and `watch` together, and the class is linked under `-Xverify:all`, including the JVM's own classes. The jars' classes are also
linked with keys, values and `below`, and as they were woven without a JVM, by rules about the lines and fields of each. The same is done
without the agent. In addition, without a JVM, for each class:

- reading and writing it gives the same bytes; taking each method apart and assembling it again gives the same bytes, or
  the same meaning ({reencoded});
- `classfile.dump` before and after weaving differs only in the insertions: calls of the tracker with their operands,
  the new local in the frames, the handler, wider jumps. Jumps to a return execute its probe; no exception range covers
  an entry or exit probe. Of type annotations within code only the length is compared;
- woven by `cover`, a walk through both classes in step finds the same instructions, paths and handlers, and on each
  path exactly the probes that belong there (`tools/corpus/flows.py`);
- [jawa](https://pypi.org/project/jawa/), an independent reader, finds the same instructions in the class woven by
  `time` and `alloc *`, and as many calls of the tracker as the probe table says{unread};
- `javap -v -p` prints it without errors. That takes longest, so it is done for every tenth class, {javap:,} in all.

{table}

*Classes* are class files, including `module-info` and `package-info`; *with code* are those that have a method with code. A multi-release
jar has some classes several times. *Verified* are the woven classes that the JVM linked. *Failures* are classes that fail
any of these checks while the unwoven class passes, or fails with another error. The jars refer to classes that are not present; classes that
refer to those cannot be linked, woven or not:

{unwoven}

The JVM of release 21 is only a runtime, without the tools of a JDK; it verifies its own classes.
"""


def page(parts: list[Part], jvms: list[tuple[int, str]]) -> str:
    """The page without the section that tools/beside writes. `jvms`: release and version."""
    methods = sum(part.methods for part in parts)
    reencoded = sum(part.reencoded for part in parts)
    unread = sum(part.unread for part in parts)
    same = f"{reencoded:,} of {methods:,} methods have frames that their compiler wrote longer than need be"
    text = INTRODUCTION.format(
        date=date.today().isoformat(),
        jvms="\n".join(f"| {release} | {version} |" for release, version in jvms),
        reencoded=same,
        unread=f" (but for {unread:,} with constants that jawa does not know)" if unread else "",
        javap=sum(part.javap_classes for part in parts),
        table=table(parts, [release for release, _ in jvms]),
        unwoven="\n".join(f"- {line}" for line in unwoven(parts)),
    )
    return text + "\n" + "\n".join(skipped(parts))


def title(name: str) -> str:
    return NAMES.get(name, name.replace("jdk", "JDK "))


def table(parts: list[Part], releases: list[int]) -> str:
    """One line per corpus."""
    heads = [
        "corpus",
        "classes",
        "with code",
        "woven",
        "methods",
        "`time` woven",
        "`count` woven",
        "`cover` woven",
        "skipped",
    ]
    heads += [f"verified on {release}" for release in releases] + ["failures"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * 7 + "---|" + "---:|" * (len(releases) + 1)]
    totals: Counter[str] = Counter()
    for part in parts:
        numbers = {
            "classes": part.classes,
            "with code": part.with_code,
            "woven": part.woven_classes,
            "methods": part.methods,
            "`time` woven": part.woven_methods["time"],
            "`count` woven": part.woven_methods["count"],
            "`cover` woven": part.woven_methods["cover"],
            "failures": len(part.problems),
            **{f"verified on {release}": part.linked[release] for release in releases if release in part.linked},
        }
        totals.update(numbers)
        lines.append(row(heads, title(part.name), numbers, reasons(part)))
    lines.append(row(heads, "**all**", totals, ""))
    return "\n".join(lines)


def row(heads: list[str], name: str, numbers: dict[str, int] | Counter[str], why: str) -> str:
    cells = [f"{numbers[head]:,}" if head in numbers else why if head == "skipped" else "" for head in heads[1:]]
    return f"| {name} | " + " | ".join(cells) + " |"


def reasons(part: Part) -> str:
    """The numbers of methods that `time` and `alloc` skipped, by reason."""
    counted = Counter(skip[3] for skip in part.skipped["time"])
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counted.items())) or "none"


def unwoven(parts: list[Part]) -> list[str]:
    """Classes that fail even unwoven."""
    found: dict[str, list[str]] = {}
    for part in parts:
        for release, errors in part.unwoven.items():
            if errors:
                said = ", ".join(f"{count:,} with {error.rpartition('.')[2]}" for error, count in errors.most_common())
                found.setdefault(f"{title(part.name)}: {said}", []).append(f"{release}")
    return [f"{said}, on {' and '.join(releases)}" for said, releases in found.items()] or ["none"]


def skipped(parts: list[Part]) -> list[str]:
    """The packages of all corpora in which methods were skipped, by reason, with the first class of each."""
    entries: set[Skip] = set()
    for part in parts:
        entries |= part.skipped["time"] | part.skipped["count"] | part.by_jvm
    lines = ["## Skipped", "", "All other methods of these corpora were woven. Of each package, one class is named."]
    for reason in sorted({skip[3] for skip in entries}):
        lines += ["", f"**{reason}**. {WHY.get(reason, '')}".rstrip(), ""]
        first: dict[str, str] = {}
        for name, _, _, why, _ in sorted(entries):
            package, _, simple = name.rpartition(".")
            if why == reason:
                first.setdefault(package, simple)
        lines.append("In " + ", ".join(f"`{package}.{simple}`" for package, simple in first.items()) + ".")
    return [*lines, ""]
