"""A Spring Boot server under load: attached to, its rules changed, left; no request fails, and counts are the
client's."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tests import compiling, peers
from tests.conftest import FindJvm, Jvm
from tests.live.conftest import Running, Serve

LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher"
MANIFEST = f"""Manifest-Version: 1.0
Main-Class: {LAUNCHER}
Start-Class: Server
Spring-Boot-Classes: BOOT-INF/classes/
Spring-Boot-Lib: BOOT-INF/lib/

"""


@pytest.fixture(scope="module")
def fat_jar(request: pytest.FixtureRequest, find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An executable jar as Spring Boot's plugins make it."""
    kept = request.config.cache.mkdir("peers")
    try:
        libraries, loader = peers.fetch_all(peers.SPRING_WEB, kept), peers.fetch(peers.SPRING_LOADER, kept)
    except peers.Missing as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("spring")
    source = Path(__file__).parent / "spring" / "Server.java"
    words = ["-parameters", "-nowarn", "-cp", os.pathsep.join(map(str, libraries)), "-d", folder / "classes"]
    compiling.javac(find_jvm(17).tool("javac"), *words, source)
    with zipfile.ZipFile(folder / "app.jar", "w") as jar, zipfile.ZipFile(loader) as of_loader:
        jar.writestr("META-INF/MANIFEST.MF", MANIFEST)
        for name in of_loader.namelist():
            if name.endswith(".class") and not name.startswith("META-INF"):
                jar.writestr(name, of_loader.read(name))
        jar.writestr("BOOT-INF/classes/", "")
        for path in (folder / "classes").iterdir():
            jar.write(path, f"BOOT-INF/classes/{path.name}")
        for path in libraries:
            jar.write(path, f"BOOT-INF/lib/{path.name}")
    return folder / "app.jar"


def calls(running: Running) -> dict[str, int]:
    return {row["method"]: row["calls"] for row in running.report()["methods"]}


@pytest.mark.any_jvm  # test_attach.py attaches to all
def test_no_request_fails_and_counts_are_the_clients(jvm: Jvm, serve: Serve, fat_jar: Path) -> None:
    running = serve(jvm, class_path=fat_jar, main=LAUNCHER)
    running.under_load(threads=2)
    before = running.bytecodes()
    dispatching = "count org.springframework.web.servlet.DispatcherServlet::doDispatch"
    attached = running.attach("time Server::order", "count Server$Orders::total", dispatching)
    assert (attached.status, "are not counted" in attached.stderr) == (0, False), attached.stderr
    running.requests("order/7", 300)
    row = next(row for row in running.report()["methods"] if row["method"] == "order")
    assert (row["calls"], row["completed"], row["exceptions"]) == (300, 300, 0)
    assert calls(running)["doDispatch"] >= 300
    assert running.ctl("rules", "add", "count Server$Orders::price").status == 0
    running.end_load()
    prices = calls(running)["price"]
    running.requests("order/7", 200)
    assert (calls(running)["price"], calls(running)["order"]) == (prices + 7 * 200, 500)
    running.under_load(threads=2)
    assert running.ctl("pause", "1").status == 0
    running.requests("order/7", 50)
    assert running.calls() == {"order": 500}
    assert running.ctl("rules", "remove", "2").status == 0
    assert running.ctl("resume", "1").status == 0
    running.requests("order/7", 25)
    assert running.calls() == {"order": 525}
    assert running.detach().status == 0
    running.end_load()
    # HotSpot refers to a constant of it by another index when the class is as it was
    assert running.changed(before) <= {"Lorg/springframework/web/servlet/DispatcherServlet;"}
    counted = calls(running)
    running.requests("order/7", 20)
    assert calls(running) == counted
