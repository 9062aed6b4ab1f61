"""Assembles the tracker class, java.lang.ClasshookTracker, with jawa: whole.py puts it together from its parts, a
module each.

1. The class is in java.lang, so that every loader resolves it and it may use jdk.internal.misc.Unsafe; its class file
   version is 49, the last one that needs no stack map frames.
2. A count is a load and a store in the block of the carrier thread (counting.py), which thread_slots.py finds.
3. Every method has @Hidden, so that stack traces of exceptions do not show it. None has @ForceInline: C1 would then
   inline probes into every method, which costs the JIT more than the program gains (H2 with all methods counted: 1.62
   times the CPU time, without it 1.21).
"""
