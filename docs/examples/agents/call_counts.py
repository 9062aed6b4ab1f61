"""Counts calls of methods: `--agent call_counts.py=com.acme.Db::query,java.util.ArrayList::add(..)`. No handler runs:
some ns a call."""

from classhook.agent import Agent, Event

agent = Agent()
counters = {pattern: agent.insert.counter() for pattern in agent.options}
for pattern, counter in counters.items():
    agent.insert.entry(pattern, call=counter)


@agent.on.end
def end(e: Event) -> None:
    for pattern, counter in counters.items():
        print(f"{counter.value:12,} {pattern}")
