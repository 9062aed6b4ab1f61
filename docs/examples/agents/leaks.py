"""Leak finder: marks a sample of all objects with the stack that allocated them; those that outlive three collections
are listed by stack.

classhook run --agent leaks.py -- java -jar app.jar
classhook ctl PID leaks
"""

from collections import Counter

from classhook.agent import Agent, Event

agent = Agent()
alive: dict[int, tuple[str, str, int, int]] = {}  # by tag: class, stack, bytes, collections before
collections = 0


@agent.on.object_alloc(every="64k", sync=True)
def allocated(e: Event) -> None:
    alive[e.this.tag("sampled")] = e.name, " < ".join(e.stack(3)), e.bytes, collections


@agent.on.object_free(tagged="sampled")
def freed(e: Event) -> None:
    alive.pop(e.tag, None)


@agent.on.gc_finish
def collected(e: Event) -> None:
    global collections
    collections += 1


@agent.command("leaks", help="what outlived three collections")
def leaks(n: int = 10) -> list[str]:
    old = Counter((name, stack) for name, stack, _, before in list(alive.values()) if collections - before >= 3)
    return [f"leak? {count} of {name}: {stack}" for (name, stack), count in old.most_common(n)]


agent.on.end(lambda e: print(*leaks(), sep="\n"))
