"""Full disks: the program does not notice, and the report says what is missing. Runs in a separate mount namespace."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import RULES
from tests.cli.tools import WORK_OUT, Result, call, calls
from tests.conftest import Compiled

CLASSHOOK = f"{sys.executable} -m classhook.cli"

OnSmallDisk = Callable[..., Result]


@pytest.fixture
def on_small_disk(tmp_path: Path) -> OnSmallDisk:
    """on_small_disk(size, where, script): runs a shell script where `where` is a tmpfs of that size."""
    try:
        able = (
            subprocess.run(
                ["unshare", "-m", "mount", "-t", "tmpfs", "none", str(tmp_path)], capture_output=True
            ).returncode
            == 0
        )
    except OSError:
        able = False
    if not able:
        pytest.skip("no mount namespace of our own is permitted here (unshare -m)")

    def run(size: str, where: Path | str, script: str) -> Result:
        Path(where).mkdir(exist_ok=True)
        return call(["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size={size} none {where} && {script}"], tmp_path)

    return run


def run_work(classes: Path, *rules: str) -> str:
    options = " ".join(f"-e '{rule}'" for rule in rules or ["time p.Work::*"])
    return f"{CLASSHOOK} run {options} -o data -- java -cp {classes} p.Work 5"


@pytest.mark.parametrize("size", ["72k", "76k", "80k", "84k", "88k", "96k"])
def test_the_data_directory_is_full(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path, size: str) -> None:
    script = f"export CLASSHOOK_NO_TMPFS=1; {run_work(classes, *RULES)}; status=$?;"
    script += f"{CLASSHOOK} report -f json data > report.json; echo report $?; mount -o remount,size=1m data;"
    script += f"{CLASSHOOK} report data >later; stat -c %s data/*.classhook; exit $status"
    done = on_small_disk(size, tmp_path / "data", script)
    assert done.status == 5
    before, _, bytes_later = done.out.strip().rpartition("\n")
    assert before == WORK_OUT + "report 1"
    assert "keeps its holes (its size is 4," in done.err
    assert "No space left on device; the next `classhook report` tries again" in done.err
    assert int(bytes_later) < 1 << 17, "there was room"
    assert "args 1" in done.err
    assert "no room for the data file (No space left on device): counting continues" in done.err
    report = json.loads((tmp_path / "report.json").read_text())
    (process,) = report["processes"]
    assert any("the disk or the memory was full; what they counted is missing" in note for note in process["notes"])
    assert process["end"] == "exit"
    described = {row["class"] for row in report["methods"]}
    for rule in report["rules"]:
        assert rule["matched_methods"] or rule.get("unknown"), f"{rule} says that it matched nothing, {described}"


def test_no_room_at_all(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path) -> None:
    script = f"export CLASSHOOK_NO_TMPFS=1; {run_work(classes)}"
    done = on_small_disk("40k", tmp_path / "data", script)
    assert (done.status, done.out) == (5, WORK_OUT)
    assert "cannot write into the data directory" in done.err
    assert "No space left on device; this JVM is not instrumented" in done.err
    assert "no JVM was instrumented" in done.err


def test_not_even_for_the_rules(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path) -> None:
    script = f"head -c 5000 /dev/zero > data/filler; {run_work(classes)}"
    done = on_small_disk("4k", tmp_path / "data", script)
    assert (done.status, done.out) == (2, "")
    assert "cannot use the data directory data: No space left on device" in done.err


@pytest.mark.parametrize(("size", "complaints"), [("4k", 1), ("12k", 1), ("20k", 0)])
def test_the_cache_is_full(
    on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path, size: str, complaints: int
) -> None:
    """No room for a new pack at all, for a complete one, or for all its classes; once there is room, the cache
    works."""
    run = f"{CLASSHOOK} run --quiet -e 'time p.**::*' --cache cache"
    program = f"-- java -cp {classes} p.Many 1 1"
    script = (
        f"head -c 4096 /dev/zero > cache/filler; {run} -o full {program}; rm cache/filler; mount -o remount,size=1m"
        " cache;"
    )
    done = on_small_disk(size, tmp_path / "cache", f"{script} {run} -o cold {program}; {run} -o warm {program}")
    assert (done.status, done.out) == (0, 3 * "done\n")
    said = [line for line in done.err.splitlines() if line.startswith("classhook: ")]
    assert all("No space left on device; classes are woven without it" in line for line in said)
    assert len(said) == complaints
    woven, cached = (
        [
            json.loads(call([*CLASSHOOK.split(), "report", "-f", "json", name], tmp_path).out)["classes"][key]
            for name in ("full", "cold", "warm")
        ]
        for key in ("woven", "cached")
    )
    assert woven == [3, 3, 3]
    assert cached[0] == 0
    assert cached[1] in ((0,) if complaints else (1, 2))
    assert cached[2] == 3


def test_dev_shm_is_full_from_the_start(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path) -> None:
    script = f"{run_work(classes)}; {CLASSHOOK} report -f json data > report.json; ls -A /dev/shm"
    done = on_small_disk("20k", "/dev/shm", script)
    assert done.out == WORK_OUT
    assert done.err.startswith("args 1\nclasshook: 1 JVM instrumented")
    assert calls(json.loads((tmp_path / "report.json").read_text()))["p.Work::add"] == 10


def test_a_small_dev_shm_is_left_to_the_program(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path) -> None:
    """Containers often have a small /dev/shm: counters would fill it, so they go to the disk."""
    command = f"{CLASSHOOK} run -e 'time p.Many$One::*' -o data -- java -cp {classes} p.Many 20 8"
    script = f"{command}; echo status $?; {CLASSHOOK} report data; echo report $?; ls -A /dev/shm"
    done = on_small_disk("300k", "/dev/shm", script)
    assert done.out.startswith("done\nstatus 0\n")
    assert done.out.endswith("report 0\n"), "nothing is left in memory"
    assert "no room" not in done.err + done.out


def test_dev_shm_fills_up_while_the_program_runs(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path) -> None:
    """Existing counters keep counting; later ones are in memory that is lost when the JVM ends, and a message says
    so."""
    rules = "-e 'time p.Fills::*' -e 'time p.Many$One::*' -e 'alloc * in p.Many'"
    command = f"{CLASSHOOK} run {rules} -o data -- java -cp {classes} p.Fills /dev/shm"
    script = (
        f"{command}; echo status $?; rm /dev/shm/filler; {CLASSHOOK} report -f json data > report.json; ls -A /dev/shm"
    )
    done = on_small_disk("600m", "/dev/shm", script)
    assert done.out == "full\ndone\n2000\nstatus 0\n"
    assert "no room for the data file (No space left on device): counting continues" in done.err
    report = json.loads((tmp_path / "report.json").read_text())
    assert calls(report)["p.Fills::step"] == 2000
    (process,) = report["processes"]
    assert any("the disk or the memory was full; what they counted is missing" in note for note in process["notes"])
    assert process["end"] == "exit"


def test_no_room_to_bring_the_counters_home(on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path) -> None:
    """They stay in /dev/shm, readable, and are moved when there is room again."""
    script = f"mount -t tmpfs none /dev/shm; {run_work(classes)}; "
    script += (
        f"{CLASSHOOK} report -f json data > full.json; echo report $?; rm data/filler; {CLASSHOOK} report data >later;"
    )
    script += "ls -A /dev/shm data"
    image = tmp_path / "disk"
    made = subprocess.run(["mkfs.ext2", "-q", str(image), "4096k"], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no mkfs.ext2")
    (tmp_path / "data").mkdir()
    fill = "head -c 5000000 /dev/zero > data/filler 2>/dev/null;"
    done = call(["unshare", "-m", "sh", "-c", f"mount -o loop disk data || exit 77; {fill} {script}"], tmp_path)
    if done.status == 77:
        pytest.skip("no loop device")
    assert "stays there: " in done.err
    assert "No space left on device" in done.err
    assert "report 0" in done.out
    assert calls(json.loads((tmp_path / "full.json").read_text()))["p.Work::add"] == 10
    assert "/dev/shm:\n\n" in done.out, "the second report brought it home"


def test_what_is_written_to_the_disk_has_no_holes_in_the_end(
    on_small_disk: OnSmallDisk, classes: Path, tmp_path: Path
) -> None:
    script = f"export CLASSHOOK_NO_TMPFS=1; {run_work(classes)}; {CLASSHOOK} report -f json data > report.json"
    assert on_small_disk("1m", "/dev/shm", script).out == WORK_OUT
    (file,) = (tmp_path / "data").glob("*.classhook")
    assert file.stat().st_size < 1 << 20
    assert calls(json.loads((tmp_path / "report.json").read_text()))["p.Work::add"] == 10


def test_counters_take_a_tenth_of_what_is_free_in_memory_then_the_disk(
    on_small_disk: OnSmallDisk, compiled: Compiled, tmp_path: Path
) -> None:
    """300 threads that all run a lot of code; none of their counts are lost."""
    program = f"java -Xmx256m -XX:+UseSerialGC -cp {compiled('hostile')} Crowded 300 4"
    looks = "while readlink /proc/$!/exe > looks; do du -k /dev/shm; ls data; sleep 0.1; done"
    line = (
        f"{CLASSHOOK} run --quiet --no-cache -e 'time jdk:**::*' -e 'time **::*' -o data -- sh -c '{program} & {looks}'"
    )
    done = on_small_disk("530m", "/dev/shm", f"{line}; {CLASSHOOK} report -f json data > report.json; ls data /dev/shm")
    meanwhile, _, after = done.out.partition("data:")
    taken = [int(line.split()[0]) for line in meanwhile.splitlines() if line.endswith("\t/dev/shm")]
    assert 10 * 1024 < max(taken) < 53 * 1024
    assert ".more" in meanwhile
    assert ".more" not in after, "it is one file in the end"
    report = json.loads((tmp_path / "report.json").read_text())
    assert calls(report)["Crowded::work"] == 300
    assert report["processes"][0]["notes"] == []
