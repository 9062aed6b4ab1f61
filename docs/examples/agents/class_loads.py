"""Class-load logger: each class of the program as it is loaded, and at the end how many there were of which loader.

classhook run --agent class_loads.py -- java -jar app.jar
"""

from collections import Counter

from classhook.agent import Agent, Event

agent = Agent()
loaders: Counter[str] = Counter()


@agent.on.class_load
def loaded(e: Event) -> None:
    if e.loader is None:
        loaders["the JVM's own"] += 1
        return
    loaders[e.loader.cls] += 1
    if not e.name.startswith(("java.", "jdk.", "sun.")):
        print(f"loaded {e.name} ({e.source}): {len(e.methods)} methods, {len(e.fields)} fields")


@agent.on.end
def end(e: Event) -> None:
    for loader, count in loaders.most_common():
        print(f"{count} classes by {loader}")
