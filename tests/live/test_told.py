"""`ctl PID rules add` and `ctl PID watch` refuse a rule that can never match, and say what it may have meant."""

from __future__ import annotations

import json

from tests.conftest import OLDEST_AND_NEWEST, Jvm
from tests.live.conftest import Running, Serve

NEVER = {
    "watch Server::step when arg1 > 3": "step(int) has no argument arg1; its only argument is arg0",
    'watch Server::step when arg0 == "x"': "is of type int; compare it with a number",
    "watch Server::answer when arg0.nothing == 1": "com.sun.net.httpserver.HttpExchange has no field nothing",
    "count Server::stepp": "did you mean Server::step?",
    "count private Server::step": "Server.step(int) is not private",
    "count Server::@Depricated step": "no method that the rule names has the annotation @Depricated",
    "count java.util.List::size": "'java.util.List+::size' matches the methods that implement it",
    "count java.lang.Thread::currentThread": "is native",
}


def rules(running: Running) -> list[str]:
    return [json.loads(line)["rule"] for line in running.ctl("--json", "rules").stdout.splitlines()]


@OLDEST_AND_NEWEST
def test_rules_that_can_never_match_are_refused(jvm: Jvm, serve: Serve) -> None:
    running = serve(jvm)
    own = "count Server::counted"
    running.attach(own)
    running.requests("counted", 1)  # HttpExchange is linked
    before = running.bytecodes()
    for rule, why in NEVER.items():
        done = running.ctl("rules", "add", rule)
        assert (done.status, why in done.stderr) == (1, True), done
    done = running.ctl("watch", next(iter(NEVER)).removeprefix("watch "))
    assert (done.status, "has no argument arg1" in done.stderr) == (1, True), done
    assert rules(running) == [own]
    assert running.changed(before) == set()


@OLDEST_AND_NEWEST
def test_rules_of_a_file_that_may_match_are_added(jvm: Jvm, serve: Serve) -> None:
    """One class may be loaded later; the object decides which fields there are: HttpExchangeImpl's."""
    running = serve(jvm)
    running.attach("count Server::counted")
    running.requests("counted", 1)
    file = running.data.with_name("more.rules")
    good = ["count Sever::step", "watch Server::answer when arg0.impl == null", "time Server::step"]
    file.write_text("\n".join([*good, "count Server::stepp"]))
    done = running.ctl("rules", "add", "-r", file)
    assert done.status == 1
    assert "no loaded class matches this rule yet: count Sever::step\n    did you mean Server?" in done.stderr
    assert "did you mean Server::step?" in done.stderr
    assert rules(running) == ["count Server::counted", *good]
    done = running.ctl("rules", "add", "time  Server::step")
    assert (done.status, "the session has this rule already, as number 4: time Server::step" in done.stderr) == (
        2,
        True,
    )
    running.requests("counted", 2)
    assert running.calls()["step"] == 20
