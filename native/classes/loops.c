/* Loops in bytecode: what jumps back (JVMS 6.5). */
#include "classes.h"

enum {
    IFEQ = 0x99,
    JSR = 0xA8,
    TABLESWITCH = 0xAA,
    LOOKUPSWITCH = 0xAB,
    WIDE = 0xC4,
    IINC = 0x84,
    IFNULL = 0xC6,
    IFNONNULL = 0xC7,
    GOTO_W = 0xC8,
    LAST = 0xC9
};

/* The length of each instruction, by its opcode; 0: it depends on what follows. */
static const char lengths[] = "1111111111111111" /* constants */
                              "23233"            /* bipush to ldc2_w */
                              "22222"            /* loads */
                              "1111111111111111111111111111"
                              "22222" /* stores */
                              "1111111111111111111111111111111111111111111111111111111111111111111111111"
                              "3" /* iinc */
                              "11111111111111111111"
                              "3333333333333333" /* jumps */
                              "2"                /* ret */
                              "00"               /* switches */
                              "111111"           /* returns */
                              "3333333"          /* fields and calls */
                              "553231133110433"  /* invokeinterface to ifnonnull */
                              "55";              /* goto_w, jsr_w */
_Static_assert(sizeof lengths == LAST + 2, "an instruction each");

static jint number(const unsigned char *at) {
    return (jint)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
}

static jint short_number(const unsigned char *at) { return (int16_t)(at[0] << 8 | at[1]); }

/* The length of the instruction at `i`; 0: the code is cut off. `back`: its lowest target, or a place after it. */
static jint instruction(const unsigned char *code, jint n, jint i, jint *back) {
    int op = code[i];
    jint length = op <= LAST ? lengths[op] - '0' : 1; /* a breakpoint, or one of the JVM's own */
    *back = i + 1;
    if (length && length > n - i) return 0;
    if ((op >= IFEQ && op <= JSR) || op == IFNULL || op == IFNONNULL) *back = i + short_number(code + i + 1);
    if (op == GOTO_W || op == LAST) *back = i + number(code + i + 1);
    if (length) return length;
    if (op == WIDE) return n - i < 6 ? 0 : code[i + 1] == IINC ? 6 : 4;
    jint at = (i + 4) & ~3, head = op == TABLESWITCH ? 12 : 8;
    if (n - at < head) return 0;
    int64_t pairs =
        op == TABLESWITCH ? (int64_t)number(code + at + 8) - number(code + at + 4) + 1 : number(code + at + 4);
    jint step = op == TABLESWITCH ? 4 : 8;
    if (pairs < 0 || pairs > (n - at - head) / step) return 0;
    jint lowest = number(code + at);
    for (jint k = 0; k < pairs; k++) {
        jint to = number(code + at + head + k * step + step - 4);
        if (to < lowest) lowest = to;
    }
    *back = i + lowest;
    return at + head + (jint)pairs * step - i;
}

struct ch_loops ch_loops_at(jmethodID method, jlocation at) {
    struct ch_loops found = {-1, false};
    unsigned char *code = NULL;
    jint n = 0, back = 0;
    if ((*ch_jvmti)->GetBytecodes(ch_jvmti, method, &n, &code)) return found;
    for (jint i = 0, length; i < n && (length = instruction(code, n, i, &back)) > 0; i += length) {
        if (back > i || i < at) continue;
        found.last = i;
        found.around |= back <= at;
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, code);
    return found;
}
