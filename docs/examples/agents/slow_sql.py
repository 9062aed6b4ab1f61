"""Slow SQL: each statement that takes longer than the environment's SLOW (10ms), with its text and who asked for it.

SLOW=50ms classhook run --agent slow_sql.py -- java -jar app.jar
"""

import os

from classhook.agent import Agent, Event

agent = Agent()
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


@agent.on.method_exit("public java.sql.Connection+::prepare*(..)", args=True, value=True, sync=True)
def prepared(e: Event) -> None:
    if e.value is not None:
        e.value.tag(e.args[0])  # the text stays with the statement


@agent.on.method_exit(
    "public java.sql.Statement+::execute*(..)", args=True, sync=True, over=os.environ.get("SLOW", "10ms")
)
def executed(e: Event) -> None:
    text = e.args[0] if e.args and isinstance(e.args[0], str) else e.this.tagged
    caller = next((frame for frame in e.stack(40) if not frame.startswith(DRIVERS)), "?")
    print(f"slow: {e.ns / 1e6:.0f} ms: {text} | {caller}")
