"""Coverage: where probes go, and from probes to the counters of instructions, branches, lines, methods and classes."""
