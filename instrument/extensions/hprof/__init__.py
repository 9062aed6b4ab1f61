"""Measurements in the forms of HPROF, the profiler of JDK 1.2 to 8, for programs that read these."""
