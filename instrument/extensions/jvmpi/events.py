"""The table of events: the specification's 36, and INSTRUCTION_START of version 1.2. Their numbers, what `event.u` has,
and how they come about over JVMTI."""

from __future__ import annotations

from typing import Final, NamedTuple

# The ways in which an event comes.
ENABLED: Final = "enable"  # EnableEvent
REQUESTED: Final = "request"  # RequestEvent only
BOTH: Final = "both"
NEVER: Final = "never"

# When the program's thread calls NotifyEvent.
SYNC: Final = "at once"  # on the event's own thread, which waits meanwhile
QUEUED: Final = "queued"  # on the agent's thread, a little later
NOT: Final = "-"


class Kind(NamedTuple):
    """An event. `member`: of the union `u`, "" if it has none; `fields`: of that; `path`: J JVMTI, W a woven probe, O
    our own, D the JVM's dumper; `how`: by which function of JVMTI or which code of ours, for readers of this table."""

    name: str
    number: int
    member: str
    fields: tuple[str, ...]
    comes: str
    told: str
    path: str
    how: str
    limits: str


MONITOR: Final = ("object",)
METHOD: Final = ("method_id",)
RAW: Final = ("name", "id")

EVENTS: Final = (
    Kind(
        "METHOD_ENTRY",
        1,
        "method",
        METHOD,
        ENABLED,
        SYNC,
        "W",
        "a probe at the entry of methods that a pattern names",
        "not hidden classes. With `natives=True` also [native methods](#native-methods) that the JVM binds from then"
        " on, matched by name, without supertypes and annotations; some 3 us a call; not those that a JIT compiler"
        " replaces; a pattern that is new while the program runs changes classes at once, for some ms",
    ),
    Kind(
        "METHOD_ENTRY2",
        2,
        "method_entry2",
        ("method_id", "obj_id"),
        ENABLED,
        SYNC,
        "W",
        "the same, with the object",
        "as METHOD_ENTRY; in constructors, bytecode must not pass the object before `super()`: 0, unless"
        " `constructors=True`, with which the JVM reads it from the frame (GetLocalInstance: some 20 us a call on JDK"
        " 17, for which all threads stop, 5 us on JDK 25); not after attaching: NOT_AVAILABLE",
    ),
    Kind(
        "METHOD_EXIT",
        3,
        "method",
        METHOD,
        ENABLED,
        SYNC,
        "W",
        "probes where the method returns or throws",
        "as METHOD_ENTRY",
    ),
    Kind(
        "OBJECT_ALLOC",
        4,
        "obj_alloc",
        ("arena_id", "class_id", "is_array", "size", "obj_id"),
        BOTH,
        QUEUED,
        "J",
        "SampledObjectAlloc, of all or every so many bytes",
        "the arena is always 1; the class of an array of objects is that of its elements; "
        "each object gets an id, which costs time and memory; a collection runs when it is enabled; existing threads "
        "begin after 512 KB; allocations of virtual threads are included",
    ),
    Kind(
        "OBJECT_FREE",
        5,
        "obj_free",
        ("obj_id",),
        ENABLED,
        QUEUED,
        "J",
        "weak references, checked after each collection",
        "objects that have an id; some time after the collection",
    ),
    Kind(
        "OBJECT_MOVE",
        6,
        "obj_move",
        ("arena_id", "obj_id", "new_arena_id", "new_obj_id"),
        NEVER,
        NOT,
        "-",
        "",
        "no JVMTI; not needed, since ids never change",
    ),
    Kind(
        "COMPILED_METHOD_LOAD",
        7,
        "compiled_method_load",
        ("method_id", "code_addr", "code_size", "lineno_table_size", "lineno_table", "inlined"),
        ENABLED,
        QUEUED,
        "J",
        "CompiledMethodLoad; what is compiled already, by GenerateEvents",
        "`inlined`, beyond the specification: for each address at which the JVM knows the stack, the methods"
        " inlined there",
    ),
    Kind(
        "COMPILED_METHOD_UNLOAD", 8, "compiled_method_unload", METHOD, ENABLED, QUEUED, "J", "CompiledMethodUnload", ""
    ),
    Kind(
        "INSTRUCTION_START",
        9,
        "instruction",
        ("method_id", "offset"),
        ENABLED,
        SYNC,
        "J",
        "SingleStep, of all threads or of the one whose env_id is `arg`",
        "added in version 1.2, not among the 36; the script's top level must enable it, later: NOT_AVAILABLE; not the"
        " operands of branches; the JVM interprets a thread meanwhile",
    ),
    Kind(
        "THREAD_START",
        33,
        "thread_start",
        ("thread_name", "group_name", "parent_name", "thread_id", "thread_env_id"),
        BOTH,
        SYNC,
        "J",
        "ThreadStart, GetThreadInfo",
        "when it is enabled, also each existing thread; virtual threads that start from then on, if `arg`"
        ' is "virtual": NOT_AVAILABLE before JDK 21',
    ),
    Kind("THREAD_END", 34, "", (), ENABLED, SYNC, "J", "ThreadEnd", "virtual threads likewise"),
    Kind(
        "CLASS_LOAD_HOOK",
        35,
        "class_load_hook",
        ("class_data", "class_data_len", "new_class_data", "new_class_data_len", "malloc_f"),
        BOTH,
        SYNC,
        "J",
        "ClassFileLoadHook, behind the weaver's; RequestEvent(EVENT_CLASS_LOAD_HOOK, class_id): of a class that is"
        " there, by RetransformClasses",
        "not hidden classes; those loaded before the JVM was up only by RequestEvent, for which a change may not add or"
        " remove members; such a change is lost when the class is retransformed for other reasons, unless the"
        " event is enabled and NotifyEvent makes it again",
    ),
    Kind(
        "HEAP_DUMP",
        37,
        "heap_dump",
        ("dump_level", "begin", "end", "num_traces", "traces"),
        REQUESTED,
        SYNC,
        "D",
        "the JVM's own dumper, read again",
        "a temporary file as large as the heap; objects without an id have the dump's own, which RequestEvent does not"
        " know; needs numpy",
    ),
    Kind(
        "JNI_GLOBALREF_ALLOC",
        38,
        "jni_globalref_alloc",
        ("obj_id", "ref_id"),
        ENABLED,
        QUEUED,
        "J",
        "SetJNIFunctionTable around NewGlobalRef",
        "references that JNI code makes, not the JVM's own",
    ),
    Kind(
        "JNI_GLOBALREF_FREE",
        39,
        "jni_globalref_free",
        ("ref_id",),
        ENABLED,
        QUEUED,
        "J",
        "... DeleteGlobalRef",
        "as above",
    ),
    Kind(
        "JNI_WEAK_GLOBALREF_ALLOC",
        40,
        "jni_globalref_alloc",
        ("obj_id", "ref_id"),
        ENABLED,
        QUEUED,
        "J",
        "... NewWeakGlobalRef",
        "as above",
    ),
    Kind(
        "JNI_WEAK_GLOBALREF_FREE",
        41,
        "jni_globalref_free",
        ("ref_id",),
        ENABLED,
        QUEUED,
        "J",
        "... DeleteWeakGlobalRef",
        "as above",
    ),
    Kind(
        "CLASS_LOAD",
        42,
        "class_load",
        (
            "class_name",
            "source_name",
            "num_interfaces",
            "num_methods",
            "methods",
            "num_static_fields",
            "statics",
            "num_instance_fields",
            "instances",
            "class_id",
        ),
        BOTH,
        SYNC,
        "J",
        "ClassPrepare: at ClassLoad, members are not there yet",
        "when it is enabled, also each class that is linked already, and those of arrays; classes of other arrays"
        " before the first event with their id; arrays' classes that are not linked are linked before OBJECT_ALLOC"
        " names them; other classes that are never linked have no event",
    ),
    Kind(
        "CLASS_UNLOAD",
        43,
        "class_unload",
        ("class_id",),
        ENABLED,
        QUEUED,
        "J",
        "the same, for the Class object",
        "some time after the collection",
    ),
    Kind(
        "DATA_DUMP_REQUEST",
        44,
        "",
        (),
        ENABLED,
        SYNC,
        "J",
        "DataDumpRequest",
        "kill -3; `classhook ctl PID jvmpi dump`",
    ),
    Kind("DATA_RESET_REQUEST", 45, "", (), ENABLED, SYNC, "O", "the control socket", "`classhook ctl PID jvmpi reset`"),
    Kind("JVM_INIT_DONE", 46, "", (), ENABLED, SYNC, "J", "VMInit", "after attaching it is sent at once"),
    Kind(
        "JVM_SHUT_DOWN",
        47,
        "",
        (),
        ENABLED,
        SYNC,
        "J",
        "the end of Java's shutdown; VMDeath after Runtime.halt",
        "not for SIGKILL",
    ),
    Kind(
        "ARENA_NEW",
        48,
        "new_arena",
        ("arena_id", "arena_name"),
        NEVER,
        NOT,
        "-",
        "",
        "no garbage collector reports arenas",
    ),
    Kind("ARENA_DELETE", 49, "delete_arena", ("arena_id",), NEVER, NOT, "-", "", "no garbage collector reports arenas"),
    Kind(
        "OBJECT_DUMP",
        50,
        "object_dump",
        ("data_len", "data"),
        REQUESTED,
        SYNC,
        "J",
        "JNI: each field, each element",
        "",
    ),
    Kind(
        "RAW_MONITOR_CONTENDED_ENTER",
        51,
        "raw_monitor",
        RAW,
        ENABLED,
        SYNC,
        "O",
        "RawMonitorEnter finds another owner",
        "monitors of RawMonitorCreate",
    ),
    Kind("RAW_MONITOR_CONTENDED_ENTERED", 52, "raw_monitor", RAW, ENABLED, SYNC, "O", "... and has got it", "as above"),
    Kind(
        "RAW_MONITOR_CONTENDED_EXIT",
        53,
        "raw_monitor",
        RAW,
        ENABLED,
        SYNC,
        "O",
        "RawMonitorExit, or RawMonitorWait, while others want it",
        "one for each ENTER",
    ),
    Kind(
        "MONITOR_CONTENDED_ENTER",
        54,
        "monitor",
        MONITOR,
        ENABLED,
        SYNC,
        "J",
        "MonitorContendedEnter",
        "not locks of java.util.concurrent",
    ),
    Kind(
        "MONITOR_CONTENDED_ENTERED", 55, "monitor", MONITOR, ENABLED, SYNC, "J", "MonitorContendedEntered", "as above"
    ),
    Kind(
        "MONITOR_CONTENDED_EXIT",
        56,
        "monitor",
        MONITOR,
        ENABLED,
        SYNC,
        "O",
        "the owner that GetObjectMonitorUsage named at ENTER, once another one has ENTERED",
        "one for each ENTERED; delivered on the other thread, just before that; the owner may have changed since ENTER."
        " It is unknown (0) if it left before the JVM answered, and from JDK 23 on if a thread attached itself at"
        " ENTER; 10 us and more for each ENTER",
    ),
    Kind(
        "MONITOR_WAIT",
        57,
        "monitor_wait",
        ("object", "timeout"),
        ENABLED,
        SYNC,
        "J",
        "MonitorWait; Thread.sleep, with the object 0",
        "if the event is enabled while the program runs, Thread.sleep from the next call on",
    ),
    Kind(
        "MONITOR_WAITED",
        58,
        "monitor_wait",
        ("object", "timeout", "timed_out"),
        ENABLED,
        SYNC,
        "J",
        "MonitorWaited, with the ms that it took",
        "as above; `timed_out`, beyond the specification: nobody notified the thread; always so for Thread.sleep",
    ),
    Kind(
        "MONITOR_DUMP",
        59,
        "monitor_dump",
        ("begin", "end", "num_traces", "traces", "threads_status"),
        REQUESTED,
        SYNC,
        "J",
        "all threads suspended: GetOwnedMonitorStackDepthInfo, GetObjectMonitorUsage, GetStackTrace",
        "platform threads; not after attaching: the JVM gives the capabilities for owned monitors only while it starts",
    ),
    Kind(
        "GC_START",
        60,
        "",
        (),
        ENABLED,
        QUEUED,
        "J",
        "GarbageCollectionStart",
        "delivered a little later, or before RunGC returns; Z and Shenandoah: a pair for each pause; not for the"
        " collection before a heap dump",
    ),
    Kind(
        "GC_FINISH",
        61,
        "gc_info",
        ("used_objects", "used_object_space", "total_object_space"),
        ENABLED,
        QUEUED,
        "J",
        "GarbageCollectionFinish",
        "as GC_START; the bytes are those of the collection's end, from the JVM's own counters (with -XX:-UsePerfData"
        " those of the moment when the script reads them); objects are counted when the script asks",
    ),
)

BY_NUMBER: Final = {kind.number: kind for kind in EVENTS}
NUMBER: Final = {kind.name: kind.number for kind in EVENTS}
