"""mtrace: calls and returns of each method, of each thread. The methods are an option:
`--agent mtrace.py=com.acme.**::*`.

classhook run --agent mtrace.py=com.acme.**::* -- java -jar app.jar
"""

import sys
from collections import Counter

from classhook.agent import Agent, Event

agent = Agent()
METHODS = ",".join(sys.argv[1:]) or "**::*"
calls: Counter[tuple[str, str]] = Counter()
returns: Counter[tuple[str, str]] = Counter()


@agent.on.method_entry(METHODS)
def called(e: Event) -> None:
    calls[e.thread, e.method + e.descriptor] += 1


@agent.on.method_exit(METHODS)
def left(e: Event) -> None:
    returns[e.thread, e.method + e.descriptor] += e.exception is None


@agent.on.end(timeout=0)
def end(e: Event) -> None:
    for (thread, method), count in calls.most_common():
        print(f"{count:12} calls {returns[thread, method]:12} returns  {method} [{thread}]")
