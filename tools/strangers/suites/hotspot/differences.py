"""Why tests of the JDK have another verdict with classhook: the begin of a test's name -> a sentence."""

from tools.strangers.suites.hotspot.jtreg import HOTSPOT, JDK

NSK_JVMTI = f"{HOTSPOT}/vmTestbase/nsk/jvmti"
OFFSETS = (
    "JVMTI describes the woven method: number and offsets of its bytecodes, ranges of local variables, locations in"
    " events"
)
STEPS = (
    "the test steps by bytecodes; a debugger that does so sees the probe's, too. The agent of getstacktr008 then reads"
    " beyond its own table, and crashes"
)
MIDDLE = (
    "the test sets a breakpoint at offset 1, which is within an instruction of the woven method; HotSpot 17 does not"
    " check, overwrites the operand, and crashes"
)
OBSOLETE = (
    "the test redefines a class and expects that methods with unchanged code stay valid; their probes get new numbers,"
    " so HotSpot treats them as changed"
)
PHASE = "classhook works in its own VMStart event, so the test receives events before its VMStart"
READS = "when an agent changes a class, HotSpot lets the class's module, here java.base, read the unnamed modules"
LATER = "an agent that starts after classhook receives the woven class when the class loads"
EXPLAINED = {
    **{f"{NSK_JVMTI}/FieldAccess/fieldacc00{one}": OFFSETS for one in (1, 3, 4)},
    f"{NSK_JVMTI}/FieldModification/fieldmod001": OFFSETS,
    f"{NSK_JVMTI}/GetBytecodes/bytecodes001": OFFSETS,
    f"{NSK_JVMTI}/GetLineNumberTable/linetab001": OFFSETS,
    f"{NSK_JVMTI}/GetLocalVariableTable/localtab001": OFFSETS,
    f"{NSK_JVMTI}/GetMethodLocation/methloc001": OFFSETS,
    f"{NSK_JVMTI}/Exception/exception001": OFFSETS,
    f"{NSK_JVMTI}/ExceptionCatch/excatch001": OFFSETS,
    f"{NSK_JVMTI}/FramePop/framepop001": OFFSETS,
    **{f"{NSK_JVMTI}/MethodExit/mexit00{one}": OFFSETS for one in (1, 2)},
    **{f"{NSK_JVMTI}/PopFrame/popframe0{one}": OFFSETS for one in ("08", "10")},
    **{
        f"{NSK_JVMTI}/unit/ForceEarlyReturn/earlyret{one}": OFFSETS
        for one in ("fp", "int", "long", "obj", "str", "void")
    },
    f"{NSK_JVMTI}/PopFrame/popframe006": STEPS,
    **{f"{NSK_JVMTI}/GetStackTrace/getstacktr00{one}": STEPS for one in (5, 8)},
    **{
        f"{HOTSPOT}/vmTestbase/nsk/jdi/EventRequestManager/createStepRequest/crstepreq0{one}": STEPS
        for one in ("08", "10")
    },
    **{f"{NSK_JVMTI}/scenarios/hotswap/HS201/hs201t00{one}": MIDDLE for one in (1, 2)},
    **{f"{NSK_JVMTI}/scenarios/hotswap/HS204/hs204t00{one}": MIDDLE for one in (2, 4)},
    f"{NSK_JVMTI}/RedefineClasses/redefclass019": OBSOLETE,
    f"{NSK_JVMTI}/GetPhase/getphase001": PHASE,
    f"{HOTSPOT}/serviceability/jvmti/AddModuleReads": READS,
    f"{JDK}/java/lang/instrument/VerifyLocalVariableTableOnRetransformTest": LATER,
}
