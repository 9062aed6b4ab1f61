"""The JDK's tests that run: folders below a suite of the source, the JVMs, and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tools.strangers.suite import Place
from tools.strangers.suites.hotspot.jtreg import HOTSPOT, JDK

NSK = "vmTestbase/nsk"
#: The source's package by the feature release of its JDK. Sources of one release also run on a newer JVM.
PACKAGES = {17: "openjdk-17", 27: "openjdk-27", 28: "openjdk-28"}


@dataclass(frozen=True, slots=True)
class Part:
    """Folders or files of tests below `suite` in the source of release `source`; they run on the JVMs `releases`, once
    for each set of rules. `whole`: what they are a part of, if the whole takes hours; `--more` runs it."""

    name: str
    suite: str
    tests: tuple[str, ...]
    rules: tuple[str, ...] = ("count jdk",)
    source: int = 17
    releases: tuple[int, ...] = (17,)
    whole: tuple[str, ...] = ()


def below(folder: str, names: str) -> tuple[str, ...]:
    """Folders of a folder."""
    return tuple(f"{folder}/{name}" for name in names.split())


#: Tests that ask about classes, methods, frames, threads and instances, change classes, or see them run.
JVMTI = (
    *below(
        f"{NSK}/jvmti",
        "AddCapabilities GetCapabilities GetPotentialCapabilities RelinquishCapabilities Agent_OnLoad"
        " AttachOnDemand/attach002 AttachOnDemand/attach021 ClassFileLoadHook ClassLoad ClassPrepare GetLoadedClasses"
        " GetClassLoaderClasses GetClassFields GetClassMethods GetClassSignature GetArgumentsSize GetBytecodes"
        " GetLineNumberTable GetLocalVariableTable GetMaxLocals GetMethodLocation GetMethodModifiers GetMethodName"
        " GetSourceFileName GetFrameLocation GetStackTrace IsMethodObsolete IsMethodSynthetic RedefineClasses"
        " RetransformClasses NativeMethodBind SetNativeMethodPrefix ForceEarlyReturn FramePop MethodEntry MethodExit"
        " NotifyFramePop PopFrame SetBreakpoint SingleStep FieldAccess FieldModification GetAllThreads"
        " GetThreadGroupChildren GetTopThreadGroups IterateThroughHeap VMInit VMObjectAlloc",
    ),
    *below(f"{NSK}/jvmti/scenarios", "bcinstr capability events general_functions hotswap jni_interception multienv"),
)
#: Tests of a debugger that asks about the same things, in most cases in two JVMs with classhook.
JDI = (
    *below(
        f"{NSK}/jdi",
        "BScenarios/hotswap ClassPrepareEvent HiddenClass Location Method MethodEntryEvent MethodExitEvent"
        " ObjectReference/referringObjects StackFrame StepEvent StepRequest ThreadGroupReference/threads",
    ),
    *below(f"{NSK}/jdi/ReferenceType", "allLineLocations allMethods instances locationsOfLine_i methods"),
    *below(f"{NSK}/jdi/ThreadReference", "forceEarlyReturn frame frameCount frames frames_ii popFrames"),
    *below(f"{NSK}/jdi/VirtualMachine", "allClasses allThreads instanceCounts redefineClasses topLevelThreadGroups"),
)
VERIFIER = ("runtime/verifier", "runtime/classFileParserBug")
#: With RedefineLeakThrowable and MissedStackMapFrames, which the source of 17 does not have.
REDEFINING = ("serviceability/jvmti/RedefineClasses",)
PARTS = (
    Part("verifier, class file parser", HOTSPOT, VERIFIER, ("count jdk", "all")),
    Part("java.lang.instrument", JDK, ("java/lang/instrument",)),
    Part("serviceability/jvmti", HOTSPOT, ("serviceability/jvmti",)),
    Part("nsk/jvmti", HOTSPOT, JVMTI, whole=(f"{NSK}/jvmti",)),
    Part("nsk/jdi", HOTSPOT, JDI, whole=(f"{NSK}/jdi",)),
    Part("java.util.concurrent", JDK, ("java/util/concurrent/tck/JSR166TestCase.java",)),
    Part("RedefineClasses, tests of 27", HOTSPOT, REDEFINING, source=27, releases=(28,)),
    Part("value objects", HOTSPOT, ("serviceability/jvmti/valhalla",), source=28, releases=(28,)),
)
SHORT = (Part("verifier", HOTSPOT, ("runtime/verifier/stackMapTableTests", "runtime/verifier/popTopTests")),)
#: The JDKs that are in the root folder of `make next-jdks` only, and the package of a jtreg that their tests need.
INSIDE, JTREG = (28,), "jtreg8"
NOTES = (
    "by hand: TransformerShutdownDeadlockTest (17, 25, 28) and MissedStackMapFrames (17, 25) pass. RedefineLeakThrowable"
    " fails on 17: of its 17 MB of metaspace, woven classes take 8 MB",
    "left out: tests of debug builds of the JVM, and those that the JDK lists as problems",
)


def chosen(place: Place, jvms: Iterable[int]) -> Iterator[tuple[Part, int]]:
    """The parts to run, and the release of the JVM for each."""
    for part in SHORT if place.short else PARTS:
        some = replace(part, tests=part.whole, whole=()) if place.more and part.whole else part
        yield from ((some, release) for release in part.releases if release in jvms)
