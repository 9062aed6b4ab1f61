"""Makes the tracker class, java.lang.ClasshookTracker, from the Java sources in native/tracker/ (whole.py).

1. javac compiles the sources, a class for each concern, as code of java.base (compiled.py). jawa does what javac
   cannot: it merges the classes into one (merged.py) and derives the probes for JDKs with virtual threads (probes.py).
2. The class is in java.lang, so that every loader resolves it and it may use jdk.internal.misc.Unsafe; its class file
   version is 49, the last one that needs no stack map frames.
3. Every method has @Hidden, so that stack traces of exceptions do not show it. None has @ForceInline: C1 would then
   inline probes into every method, which costs the JIT more than the program gains (H2 with all methods counted: 1.62
   times the CPU time, without it 1.21). For the same reason, probes are checked to be too large for C1.
"""
