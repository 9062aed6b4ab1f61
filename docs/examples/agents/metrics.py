"""Metrics of one's own, as OpenMetrics: a file for Prometheus' node exporter, and a command.

ORDERS=com.acme.Shop::place METRICS=app.prom classhook run --agent metrics.py -- java -jar app.jar
classhook ctl PID metrics
"""

import os

from classhook.agent import Agent, Event

agent = Agent()
FILE = os.environ.get("METRICS", "app.prom")
count = {"placed": 0, "refused": 0}
seconds = 0.0


@agent.on.method_exit(os.environ["ORDERS"])
def placed(e: Event) -> None:
    global seconds
    count["placed" if e.exception is None else "refused"] += 1
    seconds += e.ns / 1e9


@agent.command("metrics", help="the metrics, as OpenMetrics")
def metrics() -> str:
    orders = [f'orders_total{{result="{result}"}} {n}' for result, n in count.items()]
    spent = ["# TYPE orders_seconds counter", f"orders_seconds_total {seconds:.6f}"]
    heap = ["# TYPE heap_bytes gauge", f"heap_bytes {agent.heap[0]}"]
    return "\n".join(["# TYPE orders counter", *orders, *spent, *heap, "# EOF"])


@agent.every(10)
def write(e: Event | None = None) -> None:
    with open(FILE + ".new", "w") as file:
        file.write(metrics() + "\n")
    os.replace(FILE + ".new", FILE)


agent.on.end(write)
