"""The reasons why a class or method is not instrumented; the report shows these."""

from __future__ import annotations

CODE_TOO_LARGE = "code-too-large"
CLASS_TOO_LARGE = "class-too-large"
POOL_FULL = "constant-pool-full"
MALFORMED = "malformed-class"
UNSUPPORTED = "unsupported-code"
TIMEOUT = "timeout"
INTERNAL = "internal-error"
TRACKER = "tracker-stands-on-it"
NOT_COMPILED = "not-compiled"  # nothing is left out: the method is slower
EMPTY_FINALIZER = "empty-finalizer"
BEFORE_AGENT = "before-the-agent"
EMPTY_BLACKHOLE = "empty-blackhole"
SUPERTYPES = "supertypes-unknown"
NOT_READ = "archive-not-read"
LOOP_RUNNING = "loop-running"  # the class is changed later
UNFIT = "rule-does-not-fit"


def defect(error: BaseException) -> str:
    """A defect of classhook in one line: the exception, and the file and line that raised it."""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" ({code.co_filename.rpartition('/')[2]}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"


#: The meaning of each, for the report. Those without a constant here are the agent's (native/classes/).
MEANING = {
    CODE_TOO_LARGE: (
        "with probes the method would be larger than the JVM loads (65,535 bytes) or compiles (8,000 bytes)"
    ),
    NOT_COMPILED: (
        "its coverage is complete, but with the probes the method has more than 8,000 bytes, so HotSpot does not"
        " compile it; `cover ... compiled` keeps it compiled, with coarser coverage"
    ),
    CLASS_TOO_LARGE: "the class has more than 8 MB, and weaving it would take too much time and memory",
    POOL_FULL: "the class has no room for the constants that probes need",
    MALFORMED: "the class file is damaged or invalid; with probes in it, the JVM might accept what it should refuse",
    UNSUPPORTED: "the code cannot be woven safely",
    TIMEOUT: "weaving took too long",
    INTERNAL: "a defect of classhook; please report it",
    TRACKER: "counting itself uses it",
    EMPTY_FINALIZER: "the JVM ignores an empty finalize(); with a probe in it, it would finalize every object",
    BEFORE_AGENT: (
        "the JVM loads it before the agent defines its tracker, so it would not find the tracker if it were woven ahead"
        " of time"
    ),
    EMPTY_BLACKHOLE: "the JIT compiler recognises only empty methods as blackholes, which JMH's measurements need",
    SUPERTYPES: "not all of its supertypes are known, so a rule with `+` may have missed it",
    UNFIT: (
        "the rule names a missing argument or field, or compares it with another type, or another rule times the method"
    ),
    NOT_READ: "an archive inside an input: it is unknown whether its classes are in the class path",
    "aot-recording": "the run records an AOT cache, which would crash if one of the JVM's own classes were changed",
    "refused-by-jvm": "the JVM refused to change the class, usually because it was loaded before the agent",
    "no-python": "the class had to be woven, but Python does not work in that process",
    "too-many-probes": "no room for more counters",
    "loader-refuses": "its class loader does not find the tracker, so its probes could not run",
    "loader-not-asked": (
        "its class loader existed before the agent and has defined no class since; it can load the tracker only"
        " while it defines one"
    ),
    LOOP_RUNNING: (
        "one of its loops runs, which would be slow until its method returns if the class were changed: HotSpot never"
        " compiles an old version of a method again; the class is changed when the loop has ended, or by `--now`"
    ),
    "woven-by-other-version": (
        "woven ahead of time by another version of classhook, or damaged since; weave the original class again"
    ),
    "probes-not-numbered": (
        "woven ahead of time, then changed by another tool or defined as a hidden class: its probes have no counters"
    ),
}
