"""Draws the pictures of the page of `classhook top --web`: `python -m tools.docs.top_picture` writes
docs/images/top.png and docs/images/top-dark.png. It needs Chromium.

The program executes the example's tests again and again.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tools.docs.pictures import draw
from tools.docs.sessions import Session, prepare, run

PROGRAM = """
import java.io.OutputStream;
import java.io.PrintStream;

public class Server {
    public static void main(String[] words) throws Exception {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        out.println("open");
        while (true) shop.ShopTests.main(words);
    }
}
"""
RULES = ("profile shop.**::*", "alloc * in shop.**", "watch shop.Shop::order every 1s")
WIDTH, HEIGHT = 1200, 460
#: Waits until there are rates for some time, then marks the method that takes most time.
ACTIONS = """
    await pause(14000);
    document.querySelector("#of-tables tbody tr:nth-child(2)").click();
    await pause(200);
"""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="classhook-docs-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "shop"
        folder.mkdir()
        environment = prepare(folder)
        (folder / "Server.java").write_text(PROGRAM)
        run(Session("javac -cp classes -d classes Server.java"), folder, environment)
        rules = [word for rule in RULES for word in ("-e", rule)]
        line = ["classhook", "run", "--quiet", *rules, "--", "java", "-cp", "classes", "Server"]
        pipe = {"cwd": folder, "env": environment, "text": True}
        with subprocess.Popen(line, stdout=subprocess.PIPE, **pipe) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "open\n"
            with subprocess.Popen(
                ["classhook", "top", "--web", "--every", "250ms"], stderr=subprocess.PIPE, **pipe
            ) as top:
                try:
                    assert top.stderr is not None
                    address = next(word for word in top.stderr.readline().split() if word.startswith("http:"))
                    draw(address, folder, "top", WIDTH, HEIGHT, ACTIONS)
                finally:
                    top.terminate()
                    program.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
