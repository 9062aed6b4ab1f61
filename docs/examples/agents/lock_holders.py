"""Who holds the lock: looks 50 times a second which threads wait, and adds up what they wait for, who holds it, and
where they wait.

classhook run --agent lock_holders.py -- java -jar app.jar
classhook ctl PID locks
"""

from collections import Counter

from classhook.agent import Agent, Event

agent = Agent()
looks: Counter[tuple[str, str, str]] = Counter()


@agent.every(0.02)
def look() -> None:
    for row in agent.dump.monitors():
        if row["held_by"]:
            looks[row["waits_for"].partition("@")[0], row["held_by"], row["at"]] += 1


@agent.command("locks", help="what threads waited for most")
def locks(n: int = 10) -> list[str]:
    return [
        f"{count * 20} ms: {lock}, held by {holder}, wanted at {at}"
        for (lock, holder, at), count in looks.most_common(n)
    ]


@agent.on.end
def end(e: Event) -> None:
    print(*locks(), sep="\n")
