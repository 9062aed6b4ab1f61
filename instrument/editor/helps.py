"""What words of rules mean, in a sentence each, as docs/reference/rules.md has it, which is not installed with the package."""

from __future__ import annotations

#: By the word that begins a rule.
WORDS = {
    "context": "what runs in a matching method, and in the tasks that it submits, is also reported by itself",
    "threads": "what all other rules measure is also reported by thread",
    "time": "calls, exceptions, total and self time, minimum, maximum and percentiles of each method",
    "profile": "exact calls and exceptions; CPU and wall time from samples of the call path; a call tree",
    "count": "only the number of calls, at a fraction of the cost",
    "count calls": "how often methods are called, by the line that calls them",
    "time calls": "how often methods are called, and how long the calls take, by the line that calls them",
    "value": "how many, sum, mean, least, largest and percentiles of a number of each call",
    "alloc": "how many objects and bytes of these types each place in the code allocates",
    "cover": "which instructions, branches and lines ran, as JaCoCo counts them",
    "cpu": "CPU and wall time of all methods in all threads, including those of the JDK, from samples of the threads' stacks",
    "locks": "how long threads were blocked at monitors (`synchronized`) and waited in `Object.wait`, by the monitor's class and the stack",
    "tests": "what each test does is also reported by itself, as in a context",
    "watch": "single calls with arguments, result or exception, fields, and callers, if a condition is true",
    "count line": "how often each line was executed",
    "watch line": "the values of local variables at a line",
    "count writes": "which places write a field, and how often",
    "count reads": "which places read a field, and how often",
    "watch writes": "which places write a field, and with which values",
}
#: By the word of a clause.
CLAUSES = {
    "in": "only in these classes and methods",
    "from": "only of classes from these jars and directories",
    "except": "but not these classes and methods",
    "as": "the name in reports, in quotes",
    "tree": "adds the exact call tree",
    "sample": "times only a part of the calls",
    "threads": "what each thread does is kept apart",
    "slowest": "keeps the slowest calls, with arguments, result and callers",
    "mask": "hides the values of these names",
    "by": "apart for each value, the key",
    "top": "at most so many keys",
    "below": "only calls inside of another method",
    "every": "the time between two of them, or the bytes between two samples",
    "of": "the number of each call",
    "live": "also the objects that stay alive, from samples",
    "stack": "so many frames of the stack",
    "hits": "also how often",
    "exact": "counts the instructions before an exception as covered",
    "compiled": "probes never keep HotSpot from compiling a method",
    "depth": "so many of a stack's topmost frames are kept",
    "lines": "also keeps the source lines of all frames",
    "over": "only what took longer",
    "parks": "also threads that park, as for locks of `java.util.concurrent`",
    "when": "only if this is true",
    "show": "what is shown of each",
    "first": "only the first ones",
    "onward": "the rest of the context around the method belongs to this context, too",
}


def summary(word: str) -> str:
    """What a rule with this word measures."""
    return WORDS.get(word, "")
