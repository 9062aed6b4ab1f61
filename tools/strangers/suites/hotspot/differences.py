"""Why tests of the JDK have another verdict with classhook: the begin of a test's name -> a sentence."""

from tools.strangers.suites.hotspot.jtreg import HOTSPOT

NSK_JVMTI = f"{HOTSPOT}/vmTestbase/nsk/jvmti"
OFFSETS = (
    "JVMTI describes the woven method: its number of bytecodes, their offsets, the ranges of local variables, and the"
    " locations in events"
)
STEPS = (
    "the test steps one bytecode from the start of an empty method and expects the caller; a debugger that steps by"
    " bytecodes sees the probe's, too; the agent of getstacktr008 then reads beyond its own table, and crashes"
)
EXPLAINED = {
    **{f"{NSK_JVMTI}/FieldAccess/fieldacc00{one}": OFFSETS for one in (1, 3, 4)},
    f"{NSK_JVMTI}/GetBytecodes/bytecodes001": OFFSETS,
    f"{NSK_JVMTI}/GetLineNumberTable/linetab001": OFFSETS,
    f"{NSK_JVMTI}/GetLocalVariableTable/localtab001": OFFSETS,
    f"{NSK_JVMTI}/GetMethodLocation/methloc001": OFFSETS,
    **{f"{NSK_JVMTI}/GetStackTrace/getstacktr00{one}": STEPS for one in (5, 8)},
}
