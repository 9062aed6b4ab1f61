"""The tools on much data: `classhook weave` of a jar with 20,000 classes, `report -f json` of 100,000 probes."""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from pathlib import Path

from tests.bench.common import Figure, compiled, jvms, output, scratch

CLASSES, PROBES = 20_000, 100_000
CLI = [sys.executable, "-c", "import sys; from instrument.cli import main; sys.exit(main())"]


def measured(command: list[str], runs: int) -> Figure:
    values = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        values.append(time.perf_counter() - start)
    return Figure(tuple(values))


def large_jar() -> Path:
    """Classes of the JDK in a jar, stored."""
    home = Path(next(iter(sorted(jvms().items())))[1]).resolve().parent.parent
    out, path = scratch() / "modules", scratch() / "large.jar"
    subprocess.run([str(home / "bin" / "jimage"), "extract", "--dir", str(out), str(home / "lib" / "modules")], check=True)
    files = [f for f in sorted(out.rglob("*.class")) if f.name != "module-info.class"][:CLASSES]
    with zipfile.ZipFile(path, "w") as jar:
        for file in files:
            jar.write(file, file.relative_to(out).as_posix())
    return path


def many_probes() -> Path:
    """The data of a JVM that ran classes with 100,000 counted methods."""
    source, classes = scratch() / "Probe.java", scratch() / "probes"
    methods = 1000
    parts = [f"class C{c} {{ {' '.join(f'static void m{m}() {{}}' for m in range(methods))} static void all() {{ "
             f"{' '.join(f'm{m}();' for m in range(methods))} }} }}" for c in range(PROBES // methods)]  # fmt: skip
    calls = " ".join(f"C{c}.all();" for c in range(PROBES // methods))
    source.write_text("\n".join([*parts, f"public class Probe {{ public static void main(String[] a) {{ {calls} }} }}"]))
    subprocess.run(["javac", "-d", str(classes), str(source)], check=True)
    data = scratch() / "probe-data"
    java = next(iter(jvms().values()))
    output([*CLI, "run", "--quiet", "-e", "count C*::*", "-o", str(data), "--", java, "-cp", str(classes), "Probe"])
    return data


def main() -> None:
    compiled("Hello.java")
    jar = large_jar()
    print("## tools")
    weave = [*CLI, "weave", "-e", "time **::*", str(jar), "-o", str(scratch() / "woven.jar")]
    print(f"{f'weave, {CLASSES:,} classes, all timed':40} {measured(weave, 3).text(' s')}")
    report = [*CLI, "report", "-f", "json", str(many_probes())]
    print(f"{f'report -f json, {PROBES:,} probes':40} {measured(report, 5).text(' s')}")


if __name__ == "__main__":
    main()
