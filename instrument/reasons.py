"""Why a class or method was left as it was; the report names these."""

from __future__ import annotations

CODE_TOO_LARGE = "code-too-large"
CLASS_TOO_LARGE = "class-too-large"
POOL_FULL = "constant-pool-full"
MALFORMED = "malformed-class"
UNSUPPORTED = "unsupported-code"
TIMEOUT = "timeout"
INTERNAL = "internal-error"
TRACKER = "tracker-stands-on-it"
EMPTY_FINALIZER = "empty-finalizer"
EMPTY_BLACKHOLE = "empty-blackhole"

#: What each means, for a reader of the report. The last four are the agent's own (hook.c).
MEANING = {
    CODE_TOO_LARGE: "with probes the method would outgrow what the JVM loads (65,535 bytes) or compiles (8,000 bytes)",
    CLASS_TOO_LARGE: "the class has more than 8 MB, and weaving would take too much time and memory of the program",
    POOL_FULL: "the class has no room for the constants that probes need",
    MALFORMED: "the class file is damaged, or of a form that nobody defines",
    UNSUPPORTED: "the code is of a form that cannot be woven safely",
    TIMEOUT: "weaving took too long",
    INTERNAL: "a defect of classhook; please report it",
    TRACKER: "the counting itself runs through it",
    EMPTY_FINALIZER: "the JVM takes an empty finalize() for none; with a probe in it, it would finalize every object",
    EMPTY_BLACKHOLE: "the JIT compiler takes only empty methods for blackholes, and JMH's measurements stand on them",
    "aot-recording": "an AOT cache is made of this run, and a class of the JVM's own that was changed would crash that",
    "refused-by-jvm": "the JVM would not change the class, as a rule because it was loaded before the agent",
    "no-python": "the class had to be woven, and Python does not work in that process",
    "too-many-probes": "no room for more counters",
}
