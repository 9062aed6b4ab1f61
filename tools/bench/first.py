"""The first run of a program whose every method is instrumented, when nothing is in the cache; beside JaCoCo's, and
beside the second run."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from tests import peers
from tools.bench.common import Agent, compiled, oldest, peer_with_needs, run, scratch, with_jacoco
from tools.bench.figures import BenchError, Results, Values, runs, table

SCALAC = peers.Artifact("org.scala-lang", "scala3-compiler_3", "3.7.3")
SOURCE = """case class Order(id: Int, pieces: List[Int]):
  def total: Int = pieces.sum

trait Priced[A]:
  extension (one: A) def price: Int

given Priced[Order] with
  extension (one: Order) def price: Int = one.total * 3

@main def shop(): Unit =
  val orders = for i <- 1 to 10 yield Order(i, List.range(0, i))
  println(orders.groupMapReduce(_.id % 3)(_.price)(_ + _).toSeq.sorted)
"""
VARIANTS = {"cold": "`count **::*`, first run", "warm": "the same, second run", "jacoco": "JaCoCo's agent"}
TITLES = {"scalac": "Scala 3's compiler", "spring": "Spring Boot"}


def scalac() -> list[str]:
    path, source = os.pathsep.join(map(str, peer_with_needs(SCALAC))), scratch() / "shop.scala"
    source.write_text(SOURCE)
    out = scratch() / "scala-out"
    out.mkdir(exist_ok=True)
    return ["-cp", path, "dotty.tools.dotc.Main", "-classpath", path, "-d", str(out), str(source)]


def spring() -> list[str]:
    jars = peer_with_needs(peers.SPRING_WEB)
    return ["-cp", os.pathsep.join(map(str, [compiled("Boot.java", *jars), *jars])), "Boot"]


PROGRAMS: dict[str, Callable[[], list[str]]] = {"scalac": scalac, "spring": spring}


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    for name, line in PROGRAMS.items():
        try:
            words = line()
        except BenchError as error:
            results.absent[name] = str(error)
            continue
        cold, warm = (Agent(("count **::*",), f"{name}-{state}", cold=state == "cold") for state in ("cold", "warm"))
        warm.run(java, words)
        variants: dict[str, Callable[[], Values]] = {
            f"{name}/bare": partial(run, [java, *words]),
            f"{name}/cold": partial(cold.run, java, words),
            f"{name}/warm": partial(warm.run, java, words),
            f"{name}/jacoco": partial(with_jacoco, run, java, words),
        }
        results.by_turns(variants, runs(5), name)


def tables(results: Results) -> str:
    rows = []
    for name, title in TITLES.items():
        bare = {kind: results.figure(name, "bare", kind) for kind in ("wall", "cpu")}
        rows.append([title, "bare", *(one.text("{:.2f} s") for one in bare.values())])
        for label, what in VARIANTS.items():
            if results.figure(name, label, "wall"):
                rows.append(
                    [
                        title,
                        what,
                        *(results.figure(name, label, kind).over(one).text("x{:.2f}") for kind, one in bare.items()),
                    ]
                )
    return table(["program", "what", "wall", "CPU"], rows)
