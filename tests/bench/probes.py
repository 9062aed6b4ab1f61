"""What a probe costs: nanoseconds per call over the same loop without the agent, in runs by turns."""

from __future__ import annotations

from tests.bench.common import agent, compiled, jvms, output, side_by_side

DONT_INLINE = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Probes::empty", "-XX:CompileCommand=dontinline,Probes::make"]

#: What is measured: name -> (rules, kind of loop, inlined, threads)
CASES = {
    "count, not inlined, 1 thread": (["count Probes::empty"], "call", False, 1),
    "count, not inlined, 2 threads": (["count Probes::empty"], "call", False, 2),
    "count, inlined, 1 thread": (["count Probes::empty"], "call", True, 1),
    "count, inlined, 2 threads": (["count Probes::empty"], "call", True, 2),
    "time, not inlined, 1 thread": (["time Probes::empty"], "call", False, 1),
    "time, not inlined, 2 threads": (["time Probes::empty"], "call", False, 2),
    "alloc of a new, 1 thread": (["alloc java.lang.Object in Probes::make"], "alloc", True, 1),
}


def main() -> None:
    for version, java in sorted(jvms().items()):
        print(f"## probes, JDK {version}, ns per call over bare")
        for name, (rules, kind, inlined, threads) in CASES.items():
            line = [*([] if inlined else DONT_INLINE), "-cp", str(compiled("Probes.java")), "Probes", kind, str(threads)]
            figures = side_by_side({
                "bare": lambda line=line, java=java: float(output([java, *line])),
                "with": lambda line=line, java=java, rules=rules: float(output([java, agent(rules, "probes"), *line])),
            })  # fmt: skip
            print(f"{name:32} {figures['with'].minus(figures['bare']).text(' ns')}")
        if int(version) >= 25:
            jfr_method_timing(java)


def jfr_method_timing(java: str) -> None:
    """The peer of `time`: JFR's method timing, which keeps calls and total time."""
    line = [*DONT_INLINE, "-cp", str(compiled("Probes.java")), "Probes", "call", "1"]
    jfr = "-XX:StartFlightRecording:method-timing=Probes::empty,filename=/dev/null"
    figures = side_by_side({
        "bare": lambda: float(output([java, *line])),
        "jfr": lambda: float(output([java, jfr, "-Xlog:jfr*=off", *line]).splitlines()[-1]),
    })  # fmt: skip
    print(f"{'JFR method timing, 1 thread':32} {figures['jfr'].minus(figures['bare']).text(' ns')}")


if __name__ == "__main__":
    main()
