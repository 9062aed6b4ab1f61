"""Members that inserted code and readers of values name."""

from __future__ import annotations

from classhook.native.jdk_members.member import (
    CLASS,
    CLASS_TYPE,
    CONTEXTS,
    OBJECT,
    OBJECT_PLACE,
    STRING,
    THREAD,
    TRACKER,
    UNSAFE,
    VIRTUAL,
    VIRTUAL_THREAD,
    named,
    one,
)

#: The members that the code of the tracker class names (native/tracker/), besides those above.
OF_TRACKER = (
    *(
        one(UNSAFE, f"get{name}", f"{OBJECT_PLACE}){letter}", TRACKER)
        for name, letter in {
            "Boolean": "Z", "Byte": "B", "Char": "C", "Short": "S", "Int": "I", "Long": "J", "Float": "F",
            "Double": "D", "Reference": OBJECT,
        }.items()
    ),
    one(UNSAFE, "putByte", f"{OBJECT_PLACE}B)V", TRACKER),
    one(UNSAFE, "putInt", f"{OBJECT_PLACE}I)V", TRACKER),
    one(UNSAFE, "compareAndSetLong", f"{OBJECT_PLACE}JJ)Z", TRACKER),
    one(UNSAFE, "compareAndSetReference", f"{OBJECT_PLACE}{OBJECT}{OBJECT})Z", TRACKER),
    one(UNSAFE, "arrayIndexScale", f"({CLASS_TYPE})I", TRACKER),
    one(UNSAFE, "objectFieldOffset", f"({CLASS_TYPE}{STRING})J", TRACKER),
    *(
        one(f"jdk/internal/vm/annotation/{name}", "", "", without)
        for name, without in {
            "Hidden": "the tracker shows in stack traces",
            "Stable": "conditions on fields, keys and hits of coverage take longer",
            "DontInline": "slow ways of probes are compiled into all callers",
        }.items()
    ),
)  # fmt: skip

#: Methods into which code is woven (instrument/weaving/class_weaver.py, instrument/weaving/hand_over.py).
WOVEN = (
    *named(VIRTUAL_THREAD, VIRTUAL, "mount", "unmount", first=21),
    *named(VIRTUAL_THREAD, CONTEXTS, "start", "run", first=21),
    *named(THREAD, CONTEXTS, "start"),
    *named("java/util/concurrent/ThreadPoolExecutor", CONTEXTS, "execute", "runWorker", "getTask"),
    *named("java/util/concurrent/ScheduledThreadPoolExecutor", CONTEXTS, "delayedExecute"),
    *named("java/util/concurrent/ForkJoinTask", CONTEXTS, "fork", "doExec", "invoke", "invokeAll", "quietlyInvoke"),
    *named("java/util/concurrent/ForkJoinPool", CONTEXTS, "externalPush", last=18),
    *named("java/util/concurrent/ForkJoinPool", CONTEXTS, "externalSubmit"),
    *named("java/util/concurrent/ForkJoinPool", CONTEXTS, "poolSubmit", first=21),
    *named("java/util/concurrent/ForkJoinPool", CONTEXTS, "scheduleDelayedTask", first=25),
    *named("java/util/Timer", CONTEXTS, "sched"),
    *named("java/util/TimerThread", CONTEXTS, "mainLoop"),
)

FILES = "`tests` does not see all files that tests open"
#: Native methods that note the files they open (native/events/opened_files.c).
OPENING = (
    *named("java/io/FileInputStream", FILES, "open0"),
    *named("java/io/RandomAccessFile", FILES, "open0"),
    *named("java/io/UnixFileSystem", FILES, "getBooleanAttributes0"),
    *named("java/io/UnixFileSystem", FILES, "list", last=20),
    *named("java/io/UnixFileSystem", FILES, "list0", first=21),
    *named("sun/nio/fs/UnixNativeDispatcher", FILES, "open0", "opendir0", "stat0", "lstat0", "access0"),
)

#: The native method by which processes start (native/events/child_processes.c).
STARTING = one(
    "java/lang/ProcessImpl", "forkAndExec", "(I[B[B[BI[BI[B[IZ)I", "JVMs that tests start do not belong to them"
)

SHOWN = "values, conditions and keys do not show it: its fields are read"
#: Fields of objects that rules and handlers read (native/base/jvm_facts.h, native/watch/collections.c,
#: native/extensions/jvmpi/, instrument/agent/testing/values.py).
READ = (
    *(one(f"java/lang/{box}", "value", letter, SHOWN) for letter, box in {
        "Z": "Boolean", "B": "Byte", "C": "Character", "S": "Short", "I": "Integer", "J": "Long", "F": "Float",
        "D": "Double"}.items()),
    *named(CLASS, "JVMPI's dumps lack it", "name", "componentType", "protectionDomain"),
    *named(CLASS, "JVMPI's dumps lack it", "signers", first=25),
    *named(CLASS, "JVMPI's dumps lack it", "getProtectionDomain0", last=24),
    *named(CLASS, "JVMPI's CLASS_LOAD lacks members of classes that are not linked", "getDeclaredConstructors0"),
    one("jdk/internal/misc/VM", "initLevel", "I", "JVMPI does not see that the JVM ends"),
    *(
        member
        for owner, names in {
            "ArrayList": "size elementData",
            "Vector": "elementCount elementData",
            "Arrays$ArrayList": "a",
            "ImmutableCollections": "EMPTY",
            "ImmutableCollections$ListN": "elements",
            "ImmutableCollections$List12": "e0 e1",
            "ImmutableCollections$Set12": "e0 e1",
            "ImmutableCollections$SetN": "size elements",
            "ImmutableCollections$Map1": "k0 v0",
            "ImmutableCollections$MapN": "size table",
            "LinkedList": "size first",
            "LinkedList$Node": "item next",
            "ArrayDeque": "elements head tail",
            "PriorityQueue": "size queue",
            "HashMap": "size table",
            "HashMap$Node": "hash key value next",
            "Hashtable": "count table",
            "Hashtable$Entry": "hash key value next",
            "TreeMap": "size root comparator",
            "TreeMap$Entry": "key value left right",
            "WeakHashMap": "size",
            "IdentityHashMap": "size",
            "EnumMap": "size",
            "HashSet": "map",
            "TreeSet": "m",
            "Collections$SingletonList": "element",
            "Collections$SingletonSet": "element",
            "Collections$SingletonMap": "k v",
            "Collections$UnmodifiableCollection": "c",
            "Collections$UnmodifiableList": "list",
            "Collections$UnmodifiableMap": "m",
            "Collections$SynchronizedCollection": "c",
            "Collections$SynchronizedMap": "m",
            "concurrent/CopyOnWriteArrayList": "array",
            "concurrent/CopyOnWriteArraySet": "al",
            "concurrent/LinkedBlockingQueue": "count",
            "concurrent/LinkedBlockingDeque": "count",
            "concurrent/ArrayBlockingQueue": "count items",
            "concurrent/PriorityBlockingQueue": "size queue",
            "concurrent/ConcurrentHashMap": "baseCount counterCells table",
            "concurrent/ConcurrentHashMap$CounterCell": "value",
            "concurrent/ConcurrentHashMap$Node": "hash key val next",
        }.items()
        for member in named(f"java/util/{owner}", SHOWN, *names.split())
    ),
)  # fmt: skip
