"""N+1 queries: the same statement from the same line, again and again, on one thread within a second.

classhook run --agent n_plus_one.py -- java -jar app.jar
"""

from classhook.agent import Agent, Event

agent = Agent()
MANY, WITHIN = 10, 1_000_000_000
DRIVERS = (
    "org.h2.",
    "org.sqlite.",
    "org.postgresql.",
    "com.mysql.",
    "org.mariadb.",
    "oracle.jdbc.",
    "com.zaxxer.hikari.",
    "java.",
    "jdk.",
)
times: dict[tuple[str, str, str | None], list[int]] = {}  # (thread, caller, text): when it was executed
told: set[tuple[str, str | None]] = set()


@agent.on.method_exit("public java.sql.Connection+::prepareStatement(..)", args=True, value=True, sync=True)
def prepared(e: Event) -> None:
    if e.value is not None:
        e.value.tag(e.args[0])


@agent.on.method_entry("public java.sql.PreparedStatement+::executeQuery()", sync=True)
def executed(e: Event) -> None:
    caller = next((frame for frame in e.stack(40) if not frame.startswith(DRIVERS)), "?")
    key = e.thread, caller, e.this.tagged
    recent = [time for time in times.get(key, ()) if time > e.time - WITHIN]
    times[key] = [*recent, e.time][-MANY:]
    if len(times[key]) == MANY and key[1:] not in told:
        told.add(key[1:])
        print(f"N+1: {key[2]} | {caller}")
