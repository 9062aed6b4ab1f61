"""The numbers of HPROF's binary format, by name: tags of records, and in a dump those of roots and of what follows
them."""

from __future__ import annotations

# Records.
UTF8, LOAD_CLASS, STACK_FRAME, STACK_TRACE, ALLOC_SITES = 0x01, 0x02, 0x04, 0x05, 0x06
START_THREAD, END_THREAD, HEAP_DUMP, CPU_SAMPLES, CONTROL_SETTINGS = 0x0A, 0x0B, 0x0C, 0x0D, 0x0E
HEAP_DUMP_SEGMENT, HEAP_DUMP_END = 0x1C, 0x2C
LAST_TAG = HEAP_DUMP_END

# Roots; those from INTERNED_STRING on are Android's.
UNKNOWN_ROOT = 0xFF
JNI_GLOBAL, JNI_LOCAL, JAVA_FRAME, NATIVE_STACK, STICKY_CLASS, THREAD_BLOCK, MONITOR_USED, THREAD_OBJECT = range(
    0x01, 0x09
)
INTERNED_STRING, FINALIZING, DEBUGGER, REFERENCE_CLEANUP, VM_INTERNAL, JNI_MONITOR = range(0x89, 0x8F)
UNREACHABLE = 0x90  # Android's mark for what is no root
WITH_FRAMES = (JNI_LOCAL, JAVA_FRAME)
NO_FRAME = 0xFFFFFFFF

# The records after the roots.
CLASS, INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY = 0x20, 0x21, 0x22, 0x23
NO_DATA = 0xC3  # Android's: an array without its elements
