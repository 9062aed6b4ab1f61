"""Serves the page until Ctrl-C: looks at the JVMs again and again, as `classhook top` does in a terminal."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from classhook.base.terminal import say
from classhook.extensions.servers.browser.looks import Looks
from classhook.extensions.servers.browser.requests import Server
from classhook.extensions.servers.browser.session_rules import SessionRules
from classhook.live.observe.watching import Watched


def serve(watched: Watched, port: int, raw: bool, first: dict[str, Any]) -> int:
    """Returns the exit status. `port`: 0 for a free one; `first`: the filter, order and group that the page begins
    with. Raises UsageError if it cannot listen."""
    looks, ended = Looks(watched, raw), threading.Event()
    looks.look()
    with Server(port, looks, SessionRules(watched), first) as server:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        os.nice(5)  # the program first
        threading.Thread(target=server.serve_forever, name="browser", daemon=True).start()
        say(f"open {server.address} in a browser of this machine; Ctrl-C ends the page, not the program")
        while not ended.wait(looks.pause):
            looks.look()
        server.shutdown()
    return 0
