"""minst: how often each method was called. The methods are an option: `--agent minst.py=com.acme.**::*`; without it,
all of the program.

classhook run --agent minst.py -- java -jar app.jar
"""

import sys

from classhook.agent import Agent, Event

agent = Agent(rules=f"count {','.join(sys.argv[1:]) or '**::*'}")


@agent.on.end(timeout=0)
def end(e: Event) -> None:
    rows = [row for row in agent.snapshot().methods.sorted("calls") if row.calls]
    print(f"{sum(row.calls for row in rows)} calls of {len(rows)} methods")
    for row in rows:
        print(f"{row.calls:12} {row.class_name}.{row.method}{row.descriptor}")
