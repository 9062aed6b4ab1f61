"""heapViewer: the classes whose objects take most of the heap, when somebody sends SIGQUIT, by
`classhook ctl PID heap_view`, and at the end.

classhook run --agent heap_viewer.py -- java -jar app.jar
"""

from classhook.agent import Agent, Event

agent = Agent()


@agent.command("heap_view", help="objects and bytes of each class")
def view(most: int = 100) -> list[str]:
    rows = agent.histogram()
    all_of_them = (
        f"{sum(row.objects for row in rows)} objects of {len(rows)} classes, {sum(row.bytes for row in rows)} bytes"
    )
    return [all_of_them, *(f"{row.bytes:12} {row.objects:10}  {row.name}" for row in rows[:most])]


def show(e: Event) -> None:
    print(*view(), sep="\n", flush=True)


agent.on.data_dump(timeout=0)(show)
agent.on.end(timeout=0)(show)
