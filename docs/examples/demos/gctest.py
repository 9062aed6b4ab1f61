"""gctest: each garbage collection, or pause of one, as it ends; at the end, how many began and ended.

classhook run --agent gctest.py -- java -jar app.jar
"""

from classhook.agent import Agent, Event

agent = Agent()
began: list[int] = []
pauses: list[int] = []


@agent.on.gc_start
def start(e: Event) -> None:
    began.append(e.time)


@agent.on.gc_finish
def finish(e: Event) -> None:
    pauses.append(e.pause_ns)
    print(f"collection {len(pauses)}: {e.pause_ns / 1e6:.2f} ms")


@agent.on.end
def end(e: Event) -> None:
    print(f"{len(began)} collections began, {len(pauses)} ended: {sum(pauses) / 1e6:.2f} ms in all")
