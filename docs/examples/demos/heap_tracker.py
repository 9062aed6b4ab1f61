"""heapTracker: which lines allocated what is alive at the end. It sees each object of the classes that an option names,
or of all classes.

classhook run --agent heap_tracker.py=com.acme.** -- java -jar app.jar
"""

import sys
from collections import Counter

from classhook.agent import Agent, Event

agent = Agent()
allocated: Counter[str] = Counter()


@agent.on.object_alloc(sys.argv[1] if len(sys.argv) > 1 else "*", every="1", sync=True)
def alloc(e: Event) -> None:
    site = f"{e.name} at {next(iter(e.stack(1)), 'the JVM')}"
    allocated[site] += 1
    e.this.tag(site)


@agent.on.end(timeout=0)
def end(e: Event) -> None:
    print(f"{allocated.total()} objects were allocated in {len(allocated)} places")
    for site, objects, size in agent.tags()[:20]:
        print(f"{size:12} bytes {objects:10} alive {allocated[site]:10} allocated  {site}")
