"""Test listener: each test of JUnit 5 with its time and what it threw; nothing in the tests or the build changes.

classhook run --agent junit_listener.py -- mvn test
"""

from classhook.agent import Agent, Event

agent = Agent()
tests: list[tuple[int, str, bool]] = []


@agent.on.method_exit("**::@org.junit.jupiter.api.Test *", sync=True)
def ended(e: Event) -> None:
    failed = "" if e.exception is None else f": {e.exception}"
    print(f"{'FAILED' if failed else 'ok'} {e.method} {e.ns / 1e6:.0f} ms{failed}")
    tests.append((e.ns, e.method, bool(failed)))


@agent.on.end
def end(e: Event) -> None:
    if tests:
        ns, slowest, _ = max(tests)
        print(
            f"{len(tests)} tests, {sum(failed for *_, failed in tests)} failed; the slowest: {slowest}"
            f" ({ns / 1e6:.0f} ms)"
        )
