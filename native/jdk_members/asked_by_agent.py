"""Members that the agent finds by JNI (native/base/jdk_members.c)."""

from __future__ import annotations

from classhook.native.jdk_members.member import (
    BEANS,
    CLASS,
    CLASS_LOADER,
    CLASS_TYPE,
    FIELDS,
    HOLDER,
    LAST_WITH_SECURITY_MANAGERS,
    NOTHING_WORKS,
    OBJECT,
    OBJECT_PLACE,
    PARKS,
    SOURCES,
    SPANS,
    STRING,
    THREAD,
    TRACKER,
    UNSAFE,
    VIRTUAL,
    VIRTUAL_THREAD,
    VIRTUAL_THREADS,
    Form,
    Member,
    one,
)

ASKED_BY_AGENT = (
    Member(
        (
            Form(CLASS, "forName0", f"({STRING}ZL{CLASS_LOADER};{CLASS_TYPE}){CLASS_TYPE}", last=25),
            Form(CLASS, "forName0", f"({STRING}ZL{CLASS_LOADER};){CLASS_TYPE}", first=26),
        ),
        NOTHING_WORKS,
        "FOR_NAME",
        static=True,
    ),
    # threads
    Member((Form(THREAD, "stackSize", "J", last=18), Form(HOLDER, "stackSize", "J", first=19)), NOTHING_WORKS, "THREAD_SLOTS"),
    one(THREAD, "holder", f"L{HOLDER};", NOTHING_WORKS, "THREAD_HOLDER", first=VIRTUAL_THREADS),
    Member(
        (
            Form(THREAD, "currentThread", f"()L{THREAD};", last=18),
            Form(THREAD, "currentCarrierThread", f"()L{THREAD};", first=VIRTUAL_THREADS),
        ),
        NOTHING_WORKS,
        "THREAD_CURRENT",
        static=True,
    ),
    one(THREAD, "name", STRING, "threads have no names", "THREAD_NAME"),
    one(THREAD, "tid", "J", "virtual threads are not told apart", "THREAD_ID"),
    one(THREAD, "parkBlocker", OBJECT, PARKS, "THREAD_PARK_BLOCKER"),
    one(THREAD, "cont", "Ljdk/internal/vm/Continuation;", VIRTUAL, "THREAD_CONTINUATION", first=VIRTUAL_THREADS),
    one("jdk/internal/vm/Continuation", "target", "Ljava/lang/Runnable;", VIRTUAL, "CONTINUATION_TARGET", first=VIRTUAL_THREADS),
    one(f"{VIRTUAL_THREAD}$VThreadContinuation$1", "val$vthread", f"L{VIRTUAL_THREAD};", VIRTUAL, "CONTINUATION_THREAD", first=21),
    one(VIRTUAL_THREAD, "carrierThread", f"L{THREAD};", VIRTUAL, "VIRTUAL_THREAD_CARRIER", first=21),
    one("java/lang/BaseVirtualThread", "", "", "`locks` takes virtual threads for platform threads", "BASE_VIRTUAL_THREAD", first=21),
    # class loaders
    one(CLASS_LOADER, "parent", f"L{CLASS_LOADER};", NOTHING_WORKS, "LOADER_PARENT"),
    one(CLASS_LOADER, "parallelLockMap", "Ljava/util/concurrent/ConcurrentHashMap;", "class loaders are asked later", "LOADER_LOCKS"),
    one(CLASS_LOADER, "findLoadedClass0", f"({STRING}){CLASS_TYPE}", SPANS, "FIND_LOADED_CLASS"),
    one(
        CLASS_LOADER,
        "defineClass1",
        f"(L{CLASS_LOADER};{STRING}[BIILjava/security/ProtectionDomain;{STRING}){CLASS_TYPE}",
        "a security manager may refuse the tracker to the program's classes",
        "DEFINE_CLASS",
        static=True,
        last=LAST_WITH_SECURITY_MANAGERS,
    ),
    one("jdk/internal/loader/ClassLoaders", "platformClassLoader", f"()L{CLASS_LOADER};", NOTHING_WORKS, "PLATFORM_LOADER", static=True),
    one("jdk/internal/loader/ClassLoaders", "appClassLoader", f"()L{CLASS_LOADER};", NOTHING_WORKS, "APP_LOADER", static=True),
    one(
        "jdk/internal/reflect/DelegatingClassLoader",
        "",
        "",
        "accessors of reflection are looked at like the program's classes",
        "DELEGATING_LOADER",
        last=21,
    ),
    one("java/lang/Module", "name", STRING, NOTHING_WORKS, "MODULE_NAME"),
    # where classes come from
    one("java/security/ProtectionDomain", "codesource", "Ljava/security/CodeSource;", SOURCES, "DOMAIN_SOURCE"),
    one("java/security/CodeSource", "location", "Ljava/net/URL;", SOURCES, "SOURCE_LOCATION"),
    one("java/net/URL", "protocol", STRING, SOURCES, "URL_PROTOCOL"),
    one("java/net/URL", "host", STRING, SOURCES, "URL_HOST"),
    one("java/net/URL", "file", STRING, SOURCES, "URL_FILE"),
    # memory of objects
    one(UNSAFE, "getUnsafe", f"()L{UNSAFE};", TRACKER, "GET_UNSAFE", static=True),
    one(UNSAFE, "putLong", f"{OBJECT_PLACE}J)V", NOTHING_WORKS, "PUT_LONG"),
    one(UNSAFE, "arrayBaseOffset0", f"({CLASS_TYPE})I", TRACKER, "ARRAY_BASE"),
    Member(
        (
            Form(UNSAFE, "objectFieldOffset1", f"({CLASS_TYPE}{STRING})J", last=25),
            Form(UNSAFE, "knownObjectFieldOffset0", f"({CLASS_TYPE}{STRING})J", first=26),
        ),
        FIELDS,
        "FIELD_OFFSET",
    ),
    one(UNSAFE, "isFlatField0", "(Ljava/lang/Object;)Z", FIELDS, "IS_FLAT_FIELD", first=28),
    # locks
    one(UNSAFE, "registerNatives", "()V", PARKS, "UNSAFE_REGISTER", static=True),
    one("java/lang/reflect/AccessibleObject", "override", "Z", PARKS, "IS_ACCESSIBLE"),
    one("java/util/concurrent/locks/AbstractOwnableSynchronizer", "exclusiveOwnerThread", f"L{THREAD};", PARKS, "SYNCHRONIZER_OWNER"),
    one("java/lang/Object", "wait0", "(J)V", "`locks` shows the JVM's own frame where threads wait", "OBJECT_WAIT", first=19),
    # values
    one("java/lang/ref/Reference", "referent", "Ljava/lang/Object;", "calls are not watched", "REFERENT"),
    one("java/lang/Enum", "name", STRING, "rules with conditions, keys and `watch` have no effect", "ENUM_NAME"),
    one("java/io/File", "path", STRING, "`tests` does not see which files a test lists", "FILE_PATH"),
    # the JVM's start and end
    one(
        "java/lang/Shutdown", "add", "(IZLjava/lang/Runnable;)V", "handlers and heap dumps at the end may come too late", "SHUTDOWN_ADD", static=True
    ),
    one(
        "jdk/internal/misc/CDS",
        "isDumpingStaticArchive",
        "()Z",
        "AOT caches cannot be recorded with classhook",
        "RECORDS_FOR_AOT",
        static=True,
        first=24,
    ),
    one(
        "com/sun/management/internal/DiagnosticCommandImpl",
        "executeDiagnosticCommand",
        f"({STRING}){STRING}",
        BEANS,
        "DIAGNOSTIC_COMMAND",
        module="jdk.management",
    ),
    one("com/sun/management/internal/HotSpotDiagnostic", "dumpHeap0", f"({STRING}Z)V", BEANS, "DUMP_HEAP", module="jdk.management"),
)
