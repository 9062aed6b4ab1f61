"""Heap dumps: HPROF's binary format 1.0.1 and 1.0.2, as HotSpot and Android write it, read with numpy and
native/extensions/heap."""
