"""The page of `classhook top --web` in a browser without a window, beside a program that runs."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser import OVERLAPPING, Browser, PageError
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm, classhook_command, run_line

RULES = ["profile Steady::*", "time Steady::outer", "watch Steady::outer every 100ms"]
SEEN = """
  const one = what => document.querySelector(what), text = what => one(what)?.textContent ?? "";
  const until = async holds => { for (let i = 0; i < 600 && !holds(); i++) await pause(50); if (!holds()) throw Error(`never: ${holds}; ${document.body.innerText}`); };
  const tab = async word => { const found = () => [...document.querySelectorAll("nav button")].find(tab => tab.textContent.includes(word)); await until(found); found().click(); };
  const type = rule => { const box = one("textarea"); box.focus(); box.value = rule; box.setSelectionRange(rule.length, rule.length); box.dispatchEvent(new Event("input")); };
  const press = (key, on) => (on ?? document.body).dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const rules = () => [...document.querySelectorAll(".sessions code")].map(rule => rule.textContent);
"""


class Shown:
    """The program, the command that shows it, and the page."""

    def __init__(self, program: subprocess.Popen[bytes], top: subprocess.Popen[str], browser: Browser) -> None:
        self.program, self.top, self.browser = program, top, browser
        assert top.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/", top.stderr.readline())
        assert found
        self.address = found[0]

    def do(self, actions: str, width: int = 1400, dark: bool = False) -> Any:
        self.browser.open(self.address, width, 900, dark)
        return self.browser.do(SEEN + actions)

    def status(self, path: str, host: str = "", sent: object = None) -> int:
        address = urlsplit(self.address)
        connection = http.client.HTTPConnection(str(address.hostname), address.port or 0, timeout=PATIENCE)
        connection.request("POST" if sent else "GET", path, json.dumps(sent), {"Host": host} if host else {})
        return connection.getresponse().status


@pytest.fixture
def shown(compiled: Compiled, find_jvm: FindJvm, tmp_path: Path, browser: Browser) -> Iterator[Shown]:
    line = run_line(RULES, tmp_path / "data", [find_jvm(17).java, "-cp", compiled("Steady"), "Steady"])
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
        command = [*classhook_command(), "top", tmp_path / "data", "--web", "--every", "200ms"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        ) as top:
            yield Shown(program, top, browser)
            top.kill()
        program.kill()


@pytest.mark.core
def test_a_page_shows_what_runs_and_changes_the_rules(shown: Shown) -> None:
    assert shown.do("""
      await tab("profiled");
      await until(() => /Steady.step/.test(text("#of-tables section:not([hidden]) tbody")) && one("#of-tables .course path[d*=V]"));
      await until(() => one("canvas").height > 40 && text(".about").startsWith("all: "));
      [...document.querySelectorAll("#of-tables tbody tr")].find(row => row.textContent.includes("outer")).click();
      const marked = text(".about");
      await tab("watched calls");
      const calls = () => document.querySelectorAll("#of-tables section:not([hidden]) tbody tr:not(.space)").length;
      await until(calls);
      const before = calls();
      await until(() => calls() > before);
      return marked;
    """).startswith("1 method found")

    told = shown.do("""
      const told = [];
      await tab("Rules");
      await until(() => rules().length === 3);
      type("time Steady::ou");
      await until(() => !one(".proposals").hidden);
      press("Tab", one("textarea"));
      await until(() => text(".meaning").includes("1 method"));
      told.push(one("textarea").value);
      type("time Steady::missing");
      await until(() => text(".warning"));
      told.push(text(".warning"));
      type("time Steady::step every");
      await until(() => text(".findings .error"));
      told.push(text(".findings .error"));
      one(".add").click();
      await until(() => text(".told.error"));
      told.push(text(".told"), rules().length);
      type("alloc byte[] in Steady");
      press("Enter", one("textarea"));
      await until(() => rules().length === 4);
      told.push(text(".told"));
      await tab("allocations 1");
      await until(() => /byte/.test(text("#of-tables section:not([hidden]) tbody")));
      document.querySelectorAll(".sessions li")[3].querySelector("button").click();
      await until(() => one(".sessions .off"));
      [...document.querySelectorAll(".sessions li")][3].querySelector("button:last-child").click();
      await until(() => rules().length === 3);
      return told;
    """)
    assert told[0] == "time Steady::outer"
    assert "main, outer, step" in told[1]
    assert "every" in told[2] or "expected" in told[2]
    assert told[4] == 3
    assert "expected" in told[3] or "every" in told[3]
    assert "1 class changed" in told[5]

    assert shown.program.stdin is not None
    shown.program.stdin.close()
    assert shown.do("""await until(() => text("#ended")); return text("#ended");""").endswith(")")
    shown.top.send_signal(signal.SIGINT)
    assert shown.top.wait(PATIENCE) == 0
    assert shown.top.stderr is not None
    assert "Traceback" not in shown.top.stderr.read()
    with pytest.raises(PageError, match="ERR_CONNECTION"):  # that nobody answers is all that goes wrong
        shown.browser.do(SEEN + "await until(() => /has ended/.test(text('#says')) && !one('#says').hidden);")


def test_a_chosen_row_shows_callers_and_how_long_calls_took(shown: Shown) -> None:
    title, callees, bars = shown.do("""
      await tab("timed");
      await until(() => /outer/.test(text("#of-tables section:not([hidden]) tbody")));
      [...document.querySelectorAll("#of-tables tbody tr")].find(row => row.textContent.includes("outer")).click();
      await tab("Row");
      await until(() => /Steady.step/.test(text(".row .near table:last-child")) && text(".row .took tbody"));
      return [text(".row h2"), text(".row .near table:last-child"), [...document.querySelectorAll(".row .bar")].map(bar => bar.offsetWidth)];
    """)
    assert title.startswith("Steady.outer")
    assert "Steady.step" in callees
    assert len(bars) >= 2
    assert min(bars) > 50


def test_nothing_is_over_something_else_and_strangers_are_refused(shown: Shown) -> None:
    for width in (480, 1400):
        for dark in (False, True):
            for word in ("profiled", "Flame", "Rules", "Row"):
                row = "document.querySelector('#of-tables tbody tr:nth-child(2)').click();"
                seen = f"await until(() => one('#of-tables .course')); {row} await tab('{word}'); await pause(300); {OVERLAPPING}"
                assert shown.do(seen, width, dark) == [], (width, dark, word)

    token = urlsplit(shown.address).path
    change = {"do": "remove", "pid": shown.program.pid, "rule": RULES[0]}
    assert shown.status(token + "rules") == 200
    assert shown.status(token + "rules", host="[::1]:1") == 200
    for path, host, sent in [
        ("/", "", None),
        ("/rules", "", None),
        ("/x" + token[2:] + "rules", "", None),
        (token + "rules", "evil.example", None),
        (token + "data", "127.0.0.1.evil.example:80", None),
        ("/x/rules", "", change),
    ]:
        assert shown.status(path, host, sent) == 403, (path, host)
    assert shown.status(token + "rules", sent=[1]) == 400
