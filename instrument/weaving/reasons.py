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
BEFORE_AGENT = "before-the-agent"
EMPTY_BLACKHOLE = "empty-blackhole"

#: What each means, for a reader of the report. Those without a name here are the agent's own (hook.c, loaders.c, loaded_classes.c).
MEANING = {
    CODE_TOO_LARGE: "with probes the method would outgrow what the JVM loads (65,535 bytes) or compiles (8,000 bytes)",
    CLASS_TOO_LARGE: "the class has more than 8 MB, and weaving would take too much time and memory of the program",
    POOL_FULL: "the class has no room for the constants that probes need",
    MALFORMED: "the class file is damaged, or of a form that nobody defines; with probes in it, the JVM might take what it refuses",
    UNSUPPORTED: "the code is of a form that cannot be woven safely",
    TIMEOUT: "weaving took too long",
    INTERNAL: "a defect of classhook; please report it",
    TRACKER: "the counting itself runs through it",
    EMPTY_FINALIZER: "the JVM takes an empty finalize() for none; with a probe in it, it would finalize every object",
    BEFORE_AGENT: "it is loaded before the agent defines its tracker, and would not find that if it were woven ahead of time",
    EMPTY_BLACKHOLE: "the JIT compiler takes only empty methods for blackholes, and JMH's measurements stand on them",
    "aot-recording": "an AOT cache is made of this run, and a class of the JVM's own that was changed would crash that",
    "refused-by-jvm": "the JVM would not change the class, as a rule because it was loaded before the agent",
    "no-python": "the class had to be woven, and Python does not work in that process",
    "too-many-probes": "no room for more counters",
    "loader-refuses": "its class loader does not find the tracker, so its probes could not run",
    "loader-not-asked": "its class loader was there before the agent and defined no class since, so that it could not be asked for the tracker",
    "probes-not-numbered": "woven ahead of time, and changed by another tool since or defined as a hidden class: its probes count nowhere",
}
