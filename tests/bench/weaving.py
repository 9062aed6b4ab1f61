"""How long weaving a class takes: the weaver alone, over classes of java.base, all methods timed, then allocations too."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from instrument.weave import weave
from rules.parse import load
from tests.bench.common import Figure, jvms, scratch

CLASSES = 2000
RULES = {"time": ["time jdk:**::*"], "time and alloc *": ["time jdk:**::*", "alloc * in jdk:**"], "count": ["count jdk:**::*"]}


def classes() -> list[bytes]:
    """The first classes of java.base by name."""
    home = Path(next(iter(sorted(jvms().items())))[1]).resolve().parent.parent
    out = scratch() / "java.base"
    if not out.is_dir():
        subprocess.run([str(home / "bin" / "jimage"), "extract", "--dir", str(out), "--include", "regex:/java.base/java/.*[.]class",
                        str(home / "lib" / "modules")], check=True)  # fmt: skip
    return [path.read_bytes() for path in sorted(out.rglob("*.class"))[:CLASSES]]


def main() -> None:
    data = classes()
    import classfile.splice

    how = "compiled" if classfile.splice.__file__.endswith(".so") else "pure Python"
    print(f"## weaving, {len(data)} classes of java.base, {sum(map(len, data)) / len(data):,.0f} bytes each on average, {how}")
    for name, texts in RULES.items():
        rules = load([], texts)
        values = []
        for _ in range(3):
            start = time.perf_counter()
            for one in data:
                weave(one, rules, True)
            values.append((time.perf_counter() - start) / len(data) * 1e6)
        print(f"{name:32} {Figure(tuple(values)).text(' us a class', 0)}")


if __name__ == "__main__":
    main()
