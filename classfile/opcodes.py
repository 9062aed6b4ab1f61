"""Properties of opcodes as tables (JVMS 6.5), so that other modules need no if-chains.

`LENGTHS[op]` is the instruction's length, 0 if it varies or the opcode is unknown. `SCAN[op]` is `category << 3 | length`:
below 8 it is the length of an instruction without a category, and the scan continues at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NAMES: Final = (  # noqa: SIM905
    "nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1 fconst_0 fconst_1"
    " fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload aload iload_0 iload_1 iload_2 iload_3"
    " lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3 dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2"
    " aload_3 iaload laload faload daload aaload baload caload saload istore lstore fstore dstore astore istore_0 istore_1"
    " istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3 dstore_0 dstore_1 dstore_2"
    " dstore_3 astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore aastore bastore castore sastore pop pop2"
    " dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub lsub fsub dsub imul lmul fmul dmul idiv ldiv fdiv"
    " ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr lshr iushr lushr iand land ior lor ixor lxor iinc i2l i2f"
    " i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s lcmp fcmpl fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle"
    " if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch"
    " ireturn lreturn freturn dreturn areturn return getstatic putstatic getfield putfield invokevirtual invokespecial"
    " invokestatic invokeinterface invokedynamic new newarray anewarray arraylength athrow checkcast instanceof monitorenter"
    " monitorexit wide multianewarray ifnull ifnonnull goto_w jsr_w"
).split()

# Operand kinds, for the dump and the stack simulation; opcodes not listed have no operand.
NONE: Final = 0
BYTE: Final = 1
SHORT: Final = 2
CONSTANT8: Final = 3
CONSTANT16: Final = 4
LOCAL: Final = 5
IINC: Final = 6
LABEL16: Final = 7
LABEL32: Final = 8
TABLE: Final = 9
LOOKUP: Final = 10
INTERFACE: Final = 11
DYNAMIC: Final = 12
ARRAY: Final = 13
MULTI: Final = 14
WIDE: Final = 15
UNKNOWN: Final = 16

_LENGTH_OF_KIND: Final = bytes((1, 2, 3, 2, 3, 2, 3, 3, 5, 0, 0, 5, 5, 2, 4, 0, 0))
_KIND_RUNS: Final = (
    (16, 16, BYTE), (17, 17, SHORT), (18, 18, CONSTANT8), (19, 20, CONSTANT16), (21, 25, LOCAL), (54, 58, LOCAL),
    (132, 132, IINC), (153, 168, LABEL16), (169, 169, LOCAL), (170, 170, TABLE), (171, 171, LOOKUP),
    (178, 184, CONSTANT16), (185, 185, INTERFACE), (186, 186, DYNAMIC), (187, 187, CONSTANT16), (188, 188, ARRAY),
    (189, 189, CONSTANT16), (192, 193, CONSTANT16), (196, 196, WIDE), (197, 197, MULTI), (198, 199, LABEL16),
    (200, 201, LABEL32), (202, 255, UNKNOWN),
)  # fmt: skip


def _runs(runs: tuple[tuple[int, int, int], ...]) -> bytes:
    table = bytearray(256)
    for first, last, value in runs:
        for op in range(first, last + 1):
            table[op] = value
    return bytes(table)


KINDS: Final = _runs(_KIND_RUNS)
LENGTHS: Final = KINDS.translate(_LENGTH_OF_KIND + bytes(239))

# The categories of the scan.
RETURN: Final = 1
JUMP16: Final = 2
JUMP32: Final = 3
SWITCH_TABLE: Final = 4
SWITCH_LOOKUP: Final = 5
ALLOCATION: Final = 6
MONITOR: Final = 7
WIDENED: Final = 8
BAD: Final = 9
CONSTANT: Final = 10
SHORT_CONSTANT: Final = 11

_SCAN_RUNS: Final = (
    (18, 18, SHORT_CONSTANT), (19, 20, CONSTANT), (153, 168, JUMP16), (170, 170, SWITCH_TABLE), (171, 171, SWITCH_LOOKUP),
    (172, 177, RETURN), (178, 186, CONSTANT), (187, 189, ALLOCATION), (192, 193, CONSTANT), (194, 195, MONITOR), (196, 196, WIDENED),
    (197, 197, ALLOCATION), (198, 199, JUMP16), (200, 201, JUMP32), (202, 255, BAD),
)  # fmt: skip
_CATEGORIES: Final = _runs(_SCAN_RUNS)
SCAN: Final = bytes([_CATEGORIES[op] << 3 | LENGTHS[op] for op in range(256)])

GOTO: Final = 167
JSR: Final = 168
RET: Final = 169
NEW: Final = 187
NEWARRAY: Final = 188
ANEWARRAY: Final = 189
GOTO_W: Final = 200
JSR_W: Final = 201
IFNULL: Final = 198
IFNONNULL: Final = 199
TABLESWITCH: Final = 170
LOOKUPSWITCH: Final = 171
WIDE_PREFIX: Final = 196

# These do not fall through: goto, ret, switches, returns, athrow, goto_w (jsr returns; `wide ret` is not included).
UNCONDITIONAL: Final = _runs(((167, 167, 1), (169, 177, 1), (191, 191, 1), (200, 200, 1)))
# How far to shift an instruction's next two bytes right to get its constant pool index; 16 if it has none.
INDEX_SHIFTS: Final = _runs(((0, 17, 16), (18, 18, 8), (21, 177, 16), (188, 188, 16), (190, 191, 16), (194, 196, 16), (198, 255, 16)))
# Opcodes that may follow `wide` (JVMS 6.5.wide), with the length: 4 bytes, 6 for iinc.
WIDENABLE: Final = _runs(((21, 25, 4), (54, 58, 4), (132, 132, 6), (169, 169, 4)))
