"""Runs to which the agent is attached in the middle.

1. The program runs in rounds (Rounds.java), as many as take some seconds without classhook, and prints a line as each
   begins; the agent comes after the line of a round that the program's number chooses.
2. Then it stays to the end, or is detached, or is detached and attached again with other rules, as the number chooses.
3. A program that ended before its classes had been changed is not compared.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.conftest import ENVIRONMENT, classhook_command
from tools.strangers.suites.random.programs import Program
from tools.strangers.suites.random.runs import HANGING, MEASURES, PATIENCE, Bench, Setting, judged, woven_classes

LASTING = 3  # seconds that the rounds of a program take without classhook
PAUSE = 0.5  # seconds, at most, between an agent's coming and its going
ENDING = 5  # seconds within which a JVM has ended that refused a command because it was ending
EARLY = "ended before it was woven"  # a verdict that is not compared
MARK = b"-- round "


class Session(NamedTuple):
    """A stay of the agent in a JVM: the options of `attach`, and the seconds after which it is detached, if it is."""

    options: Sequence[str]
    pause: float | None


class Visit:
    """The agent's stays in a JVM. `troubles` says which commands failed though the JVM did not end; `woven`: the first
    stay has begun."""

    def __init__(self, process: subprocess.Popen[bytes], data: Path, sessions: Sequence[Session]) -> None:
        self.process, self.data, self.sessions = process, data, sessions
        self.troubles: list[str] = []
        self.woven = False
        self.thread = threading.Thread(target=self.stay)

    def stay(self) -> None:
        for session in self.sessions:
            if not self.command("attach", "-o", str(self.data), *session.options):
                return
            self.woven = True
            if session.pause is not None:
                time.sleep(session.pause)
                if not self.command("detach"):
                    return

    def command(self, name: str, *words: str) -> bool:
        """Gives the JVM a command; false if it failed."""
        line = [*classhook_command(), name, *words, str(self.process.pid)]
        done = subprocess.run(line, capture_output=True, text=True, cwd=self.data.parent, env=ENVIRONMENT)
        if not done.returncode:
            return True
        try:
            self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self.troubles.append(f"{name}: status {done.returncode}: {done.stderr.strip()[-200:]}")
        return False


def sessions(seed: int, rules: Sequence[str], then: Sequence[str]) -> list[Session]:
    """The stays in program number `seed`; the second one, if there is one, is with the rules `then`."""
    random = Random(seed)
    first, second = ([word for rule in some for word in ("-e", rule)] for some in (rules, then))
    now = random.choice([[], ["--now"]])
    pause = random.choice([None, random.uniform(0, PAUSE)])
    found = [Session([*first, *now], pause)]
    if pause is not None and random.random() < 0.5:
        found.append(Session([*second, *now], None))
    return found


class Attached:
    """Programs to which the agent is attached. `rounds`: how many each program has, once that is known."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.rounds: dict[tuple[int, Setting], int] = {}

    def verdict(self, program: Program, setting: Setting, then: str, with_classhook: bool) -> str:
        """Runs a program, and returns its verdict. With classhook, the agent is attached with the setting's rules, and
        then perhaps with those of the name `then`."""
        rounds = self.rounds.get((program.seed, setting), 0)
        words = ["Rounds", program.name, str(rounds), str(LASTING * 1000)]
        line = self.bench.command(program, setting, PATIENCE, [], words)
        data, said = program.classes.with_suffix(".attached"), program.classes.with_suffix(".err")
        shutil.rmtree(data, ignore_errors=True)
        with said.open("wb") as err:
            process = subprocess.Popen(line, cwd=program.classes, stdout=subprocess.PIPE, stderr=err, env=ENVIRONMENT)
        visit = Visit(process, data, sessions(program.seed, MEASURES[setting.rules], MEASURES[then]))
        killed = threading.Timer(HANGING, process.kill)
        killed.start()
        out, begun = bytearray(), 0
        at = 1 + Random(program.seed).randrange(rounds // 3 + 1)
        assert process.stdout is not None
        for text in process.stdout:
            out += text
            begun += text.startswith(MARK)
            if with_classhook and text.startswith(MARK) and begun == at:
                visit.thread.start()
        status = process.wait()
        killed.cancel()
        if with_classhook and begun >= at:
            visit.thread.join()
        self.rounds[program.seed, setting] = rounds or begun
        verdict = judged(subprocess.CompletedProcess(line, status, bytes(out), said.read_bytes()), PATIENCE)
        if not with_classhook:
            return verdict
        if not visit.woven and not visit.troubles:
            return EARLY
        woven = data.exists() and program.name in woven_classes(data)
        return "; ".join([verdict, *visit.troubles, *(() if woven or visit.troubles else ("not woven",))])
