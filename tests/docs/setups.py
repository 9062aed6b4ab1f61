"""What some pages' folders hold before their commands run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from native._layout import ffi


def thousand(folder: Path, environment: dict[str, str]) -> None:
    """`runs`: the data of 1,000 runs on ten machines, copies of a real one."""
    line = ["classhook", "run", "--quiet", "-e", "time shop.**::*", "-o", "one", "--", "java", "-cp", "classes", "shop.ShopTests"]
    subprocess.run(line, cwd=folder, env=environment, check=True, capture_output=True)
    (file,) = (folder / "one").glob("*.classhook")
    data = bytearray(file.read_bytes())
    at = ffi.offsetof("struct ch_header", "pid")
    for number in range(1000):
        data[at : at + 4] = (1000 + number).to_bytes(4, sys.byteorder)
        path = folder / "runs" / f"machine{number % 10}" / f"{1000 + number}.classhook"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


SETUPS = {"thousand": thousand}
