"""Properties of opcodes as tables (JVMS 6.5), so that other modules need no if-chains.

`LENGTHS[op]` is the instruction's length, 0 if it varies or the opcode is unknown. `SCAN[op]` is
`category << 3 | length`: below 8 it is the length of an instruction without a category, and the scan continues at once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NAMES: Final = (  # noqa: SIM905
    "nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1 fconst_0"
    " fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload aload iload_0 iload_1"
    " iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3 dload_0 dload_1 dload_2 dload_3"
    " aload_0 aload_1 aload_2 aload_3 iaload laload faload daload aaload baload caload saload istore lstore fstore"
    " dstore astore istore_0 istore_1 istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2"
    " fstore_3 dstore_0 dstore_1 dstore_2 dstore_3 astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore"
    " aastore bastore castore sastore pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub"
    " lsub fsub dsub imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr"
    " lshr iushr lushr iand land ior lor ixor lxor iinc i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s"
    " lcmp fcmpl fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt"
    " if_icmple if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch ireturn lreturn freturn dreturn areturn"
    " return getstatic putstatic getfield putfield invokevirtual invokespecial invokestatic invokeinterface"
    " invokedynamic new newarray anewarray arraylength athrow checkcast instanceof monitorenter monitorexit wide"
    " multianewarray ifnull ifnonnull goto_w jsr_w"
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
    (16, 16, BYTE),
    (17, 17, SHORT),
    (18, 18, CONSTANT8),
    (19, 20, CONSTANT16),
    (21, 25, LOCAL),
    (54, 58, LOCAL),
    (132, 132, IINC),
    (153, 168, LABEL16),
    (169, 169, LOCAL),
    (170, 170, TABLE),
    (171, 171, LOOKUP),
    (178, 184, CONSTANT16),
    (185, 185, INTERFACE),
    (186, 186, DYNAMIC),
    (187, 187, CONSTANT16),
    (188, 188, ARRAY),
    (189, 189, CONSTANT16),
    (192, 193, CONSTANT16),
    (196, 196, WIDE),
    (197, 197, MULTI),
    (198, 199, LABEL16),
    (200, 201, LABEL32),
    (202, 255, UNKNOWN),
)


def _runs(runs: tuple[tuple[int, int, int], ...]) -> bytes:
    table = bytearray(256)
    for first, last, value in runs:
        for op in range(first, last + 1):
            table[op] = value
    return bytes(table)


KINDS: Final = _runs(_KIND_RUNS)
LENGTHS: Final = KINDS.translate(_LENGTH_OF_KIND + bytes(239))

# The categories of the scan.
RETURNS: Final = 1
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
    (18, 18, SHORT_CONSTANT),
    (19, 20, CONSTANT),
    (153, 168, JUMP16),
    (170, 170, SWITCH_TABLE),
    (171, 171, SWITCH_LOOKUP),
    (172, 177, RETURNS),
    (178, 186, CONSTANT),
    (187, 189, ALLOCATION),
    (192, 193, CONSTANT),
    (194, 195, MONITOR),
    (196, 196, WIDENED),
    (197, 197, ALLOCATION),
    (198, 199, JUMP16),
    (200, 201, JUMP32),
    (202, 255, BAD),
)
_CATEGORIES: Final = _runs(_SCAN_RUNS)
SCAN: Final = bytes([_CATEGORIES[op] << 3 | LENGTHS[op] for op in range(256)])

# The opcodes by name, as far as they are needed (JVMS 6.5).
NOP: Final = 0
ACONST_NULL: Final = 1
ICONST_M1: Final = 2
ICONST_0: Final = 3
ICONST_1: Final = 4
LCONST_0: Final = 9
BIPUSH: Final = 16
SIPUSH: Final = 17
LDC: Final = 18
LDC_W: Final = 19
LDC2_W: Final = 20
ILOAD: Final = 21
LLOAD: Final = 22
FLOAD: Final = 23
DLOAD: Final = 24
ALOAD: Final = 25
ILOAD_0: Final = 26
LLOAD_0: Final = 30
FLOAD_0: Final = 34
DLOAD_0: Final = 38
ALOAD_0: Final = 42
ALOAD_3: Final = 45
IALOAD: Final = 46
SALOAD: Final = 53
ISTORE: Final = 54
LSTORE: Final = 55
FSTORE: Final = 56
DSTORE: Final = 57
ASTORE: Final = 58
ISTORE_0: Final = 59
LSTORE_0: Final = 63
FSTORE_0: Final = 67
DSTORE_0: Final = 71
ASTORE_0: Final = 75
ASTORE_3: Final = 78
AALOAD: Final = 50
IASTORE: Final = 79
AASTORE: Final = 83
BASTORE: Final = 84
SASTORE: Final = 86
POP: Final = 87
DUP: Final = 89
DUP2: Final = 92
IADD: Final = 96
ISUB: Final = 100
IDIV: Final = 108
LDIV: Final = 109
IREM: Final = 112
LREM: Final = 113
IINC_OPCODE: Final = 132
I2L: Final = 133
LCMP: Final = 148
FCMPL: Final = 149
FCMPG: Final = 150
DCMPL: Final = 151
DCMPG: Final = 152
IFEQ: Final = 153
IFNE: Final = 154
IFLT: Final = 155
IFGE: Final = 156
IFGT: Final = 157
IFLE: Final = 158
IF_ICMPEQ: Final = 159
IF_ICMPNE: Final = 160
IF_ICMPLT: Final = 161
IF_ICMPGE: Final = 162
IF_ICMPGT: Final = 163
IF_ICMPLE: Final = 164
IF_ACMPNE: Final = 166
GOTO: Final = 167
JSR: Final = 168
RET: Final = 169
TABLESWITCH: Final = 170
LOOKUPSWITCH: Final = 171
IRETURN: Final = 172
ARETURN: Final = 176
RETURN: Final = 177
GETSTATIC: Final = 178
PUTSTATIC: Final = 179
GETFIELD: Final = 180
PUTFIELD: Final = 181
INVOKEVIRTUAL: Final = 182
INVOKESPECIAL: Final = 183
INVOKESTATIC: Final = 184
INVOKEINTERFACE: Final = 185
INVOKEDYNAMIC: Final = 186
NEW: Final = 187
NEWARRAY: Final = 188
ANEWARRAY: Final = 189
ARRAYLENGTH: Final = 190
SWAP: Final = 95
ATHROW: Final = 191
CHECKCAST: Final = 192
INSTANCEOF: Final = 193
MONITORENTER: Final = 194
MONITOREXIT: Final = 195
WIDE_PREFIX: Final = 196
MULTIANEWARRAY: Final = 197
IFNULL: Final = 198
IFNONNULL: Final = 199
GOTO_W: Final = 200
JSR_W: Final = 201

# ... as code to be inserted.
NOP_CODE: Final = bytes((NOP,))  # where the place of a label must not be the method's own first instruction
ACONST_NULL_CODE: Final = bytes((ACONST_NULL,))
LCONST_0_CODE: Final = bytes((LCONST_0,))
SIPUSH_CODE: Final = bytes((SIPUSH,))
LDC_CODE: Final = bytes((LDC,))
LDC_W_CODE: Final = bytes((LDC_W,))
LDC2_W_CODE: Final = bytes((LDC2_W,))
ALOAD_0_CODE: Final = bytes((ALOAD_0,))
AASTORE_CODE: Final = bytes((AASTORE,))
POP_CODE: Final = bytes((POP,))
DUP_CODE: Final = bytes((DUP,))
DUP2_CODE: Final = bytes((DUP2,))
I2L_CODE: Final = bytes((I2L,))
LCMP_CODE: Final = bytes((LCMP,))
IFEQ_CODE: Final = bytes((IFEQ,))
RETURN_CODE: Final = bytes((RETURN,))
GETFIELD_CODE: Final = bytes((GETFIELD,))
INVOKEVIRTUAL_CODE: Final = bytes((INVOKEVIRTUAL,))
INVOKESTATIC_CODE: Final = bytes((INVOKESTATIC,))
ARRAYLENGTH_CODE: Final = bytes((ARRAYLENGTH,))
ATHROW_CODE: Final = bytes((ATHROW,))
WIDE_CODE: Final = bytes((WIDE_PREFIX,))

# These do not fall through: goto, ret, switches, returns, athrow, goto_w (jsr returns; `wide ret` is not included).
UNCONDITIONAL: Final = _runs(((167, 167, 1), (169, 177, 1), (191, 191, 1), (200, 200, 1)))
# The shift to the right of an instruction's next two bytes that gives its constant pool index; 16 if it has none.
INDEX_SHIFTS: Final = _runs(
    ((0, 17, 16), (18, 18, 8), (21, 177, 16), (188, 188, 16), (190, 191, 16), (194, 196, 16), (198, 255, 16))
)
# Opcodes that may follow `wide` (JVMS 6.5.wide), with the length: 4 bytes, 6 for iinc.
WIDENABLE: Final = _runs(((21, 25, 4), (54, 58, 4), (132, 132, 6), (169, 169, 4)))
