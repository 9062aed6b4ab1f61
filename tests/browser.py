"""Pages in a browser without a window: one Chromium for all tests, by its DevTools protocol over two pipes."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MISSING = f"no browser ({', '.join(BROWSERS)}): apt-get install chromium"

PATIENCE = 120  # seconds

#: Functions that `actions` may use.
HELPERS = """
  const pause = ms => new Promise(done => setTimeout(done, ms));
  const lines = async () => { for (let i = 0; i < 100 && !document.querySelector(".line"); i++) await pause(50); };  // the page asks for them at once
"""

#: A script that finds what a page shows wrong: a width beyond the window's, controls over each other.
OVERLAPPING = """
  const wrong = document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth} px wide`] : [];
  const seen = [...document.querySelectorAll("button, input, select, textarea, h1, label, summary")].map(element => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.width && element.checkVisibility() && !element.closest(".scroll, .source"));
  for (const [i, [a, one]] of seen.entries()) for (const [b, other] of seen.slice(i + 1)) if (!a.contains(b) && !b.contains(a)
    && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1)
    wrong.push(`${a.outerHTML} over ${b.outerHTML}`);
  return wrong;
"""

#: A script that clears what earlier pages have stored.
FORGET = "try { localStorage.clear(); } catch { /* about:blank has none */ }"

#: Does something on a page, then returns what it found there; any error of the page fails.
Look = Callable[..., Any]


class PageError(AssertionError):
    """An error that a page wrote to its console, or did not catch."""


class Browser:
    """Commands are numbered lines of JSON that end with a zero byte, on descriptors 3 (to the browser) and 4 (from
    it)."""

    def __init__(self, program: str, folder: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]
        line = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            f"--user-data-dir={folder}",
        ]
        self._log = open(folder / "log", "wb")  # noqa: SIM115  # closed with the browser
        self.process = subprocess.Popen(
            line,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            preexec_fn=lambda: [os.dup2(fd, at) for at, fd in enumerate(theirs, 3)],
        )
        for fd in (to_read, to_write, *theirs):
            os.close(fd)
        self._rest = b""
        self._last = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.call("Page.addScriptToEvaluateOnNewDocument", source=FORGET)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._from], [], [], PATIENCE)[0], f"the browser has not answered for {PATIENCE} s"
            piece = os.read(self._from, 1 << 20)
            assert piece, "the browser has ended"
            self._rest += piece
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command's result; events that come meanwhile are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters} | (
            {"sessionId": self._session} if self._session else {}
        )
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _load(self, address: str) -> None:
        """Goes to an address, and waits until everything there is loaded."""
        loader = self.call("Page.navigate", url=address)["loaderId"]
        while not any(loaded(one, loader) for one in self.events):
            self.events.append(self._next())

    def open(self, address: str, width: int, height: int, dark: bool) -> None:
        """Shows a page from its beginning; raises PageError for what goes wrong while it loads."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self._load("about:blank")  # another place of the same page would not be loaded again
        self.events.clear()
        self._load(address)
        self.raise_errors()

    def do(self, actions: str) -> Any:
        """The result of the body of an asynchronous function."""
        expression = f"(async () => {{ {HELPERS} return await (async () => {{ {actions} }})(); }})()"
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        self.raise_errors()
        return found["result"].get("value")

    def raise_errors(self) -> None:
        errors = [text for one in self.events if (text := complaint(one))]
        if errors:
            raise PageError("\n".join(errors))

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._to)
        os.close(self._from)
        self._log.close()


def loaded(event: dict[str, Any], loader: str) -> bool:
    about = event.get("params", {})
    return event.get("method") == "Page.lifecycleEvent" and (about["name"], about["loaderId"]) == ("load", loader)


def complaint(event: dict[str, Any]) -> str:
    """Returns the error that an event of the browser tells of; empty if it tells of none."""
    about = event.get("params", {})
    match event.get("method"):
        case "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            return f"{details['text']} {details.get('exception', {}).get('description', '')}"
        case "Runtime.consoleAPICalled" if about["type"] in ("error", "assert", "warning"):
            return f"console: {about['args']}"
        case "Log.entryAdded" if about["entry"]["level"] == "error":
            return f"log: {about['entry']}"
        case "Inspector.targetCrashed":
            return "the page has crashed"
    return ""


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(MISSING)
    found = Browser(program, tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture
def look(browser: Browser) -> Look:
    def run(page: Path, actions: str, at: str = "", width: int = 1400, height: int = 1000, dark: bool = False) -> Any:
        browser.open(f"file://{page}{at}", width, height, dark)
        return browser.do(actions)

    return run
