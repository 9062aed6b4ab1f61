/* The size of a compiled method's frame, from the code that makes it.
 *
 * 1. The JIT's methods have frames of one size, which their first instructions make (MacroAssembler::verified_entry and
 *    C1_MacroAssembler::build_frame in HotSpot): after a store below the stack, which sees its end, either
 *        push rbp; [mov rbp, rsp;] sub rsp, SIZE
 *    or, in methods that need no such store,
 *        sub rsp, SIZE; mov [rsp + SIZE - 8], rbp
 *    Before them there may be a test of the receiver's class.
 * 2. A thread may be interrupted while the frame is made, or after it was left: the next instruction then is the return
 *    (ret), the test for a safepoint before it (cmp rsp, [r15 + N]), or pop rbp.
 * 3. A word is only taken for a return address if it follows a call in known code. So a wrong size ends the walk, and
 *    adds no frame.
 * 4. On other processors than x86-64 no frame is known.
 */
#include "compiled_frames.h"
#include <string.h>

#define UNKNOWN (UINT32_MAX / 2)
enum { ENTRY = 160 /* bytes in which a frame is made */, WORD = 8 };

#if defined __x86_64__
static const unsigned char *bytes_at(uint64_t at) { return (const unsigned char *)(uintptr_t)at; }

/* `sub rsp, SIZE`: its length, or 0. */
static uint32_t subtraction(const unsigned char *at, uint32_t *size) {
    if (at[0] != 0x48 || at[2] != 0xEC) return 0;
    *size = at[3];
    if (at[1] == 0x83) return 4;
    memcpy(size, at + 3, sizeof *size);
    return at[1] == 0x81 ? 7 : 0;
}

/* `mov [rsp + N], rbp` */
static bool stores_rbp(const unsigned char *at) {
    return at[0] == 0x48 && at[1] == 0x89 && (at[2] == 0x6C || at[2] == 0xAC) && at[3] == 0x24;
}

struct ch_frame_layout ch_frame_layout_of(uint64_t from, uint64_t to) {
    static const unsigned char test[] = {0x89, 0x84, 0x24}, push = 0x55, move[] = {0x48, 0x8B, 0xEC};
    enum { TEST = 7, PUSH = 1, LONGEST = 24 };
    uint32_t size = 0, length;
    for (uint64_t at = from; at + LONGEST <= to && at < from + ENTRY; at++) {
        const unsigned char *code = bytes_at(at), *after = code + TEST + PUSH;
        if (!memcmp(code, test, sizeof test) && code[TEST] == push) {
            if (!memcmp(after, move, sizeof move)) after += sizeof move;
            if (!(length = subtraction(after, &size))) size = 0;
            uint64_t made = at + (uint64_t)(after - code) + length;
            return (struct ch_frame_layout){at + TEST + PUSH, made, size / WORD + 1};
        }
        if ((length = subtraction(code, &size)) && stores_rbp(code + length))
            return (struct ch_frame_layout){at + length, at + length, size / WORD};
    }
    return (struct ch_frame_layout){0, 0, 0};
}

uint32_t ch_frame_words(const struct ch_frame_layout *layout, uint64_t pc, bool top) {
    static const unsigned char safepoint[] = {0x49, 0x3B, 0x67}, far_safepoint[] = {0x49, 0x3B, 0xA7};
    const unsigned char *code = bytes_at(pc);
    if (!layout->words) return UNKNOWN;
    if (!top || pc >= layout->made) {
        if (!top) return layout->words;
        if (code[0] == 0x5D) return 1; /* pop rbp */
        if (code[0] == 0xC3 || !memcmp(code, safepoint, 3) || !memcmp(code, far_safepoint, 3)) return 0;
        return layout->words;
    }
    return pc >= layout->pushed;
}

bool ch_frame_is_after_call(uint64_t from, uint64_t pc) {
    enum { LONGEST_CALL = 7 };
    const unsigned char *code = bytes_at(pc);
    if (pc < from + LONGEST_CALL) return false;
    return code[-5] == 0xE8 || (code[-2] == 0xFF && (code[-1] & 0xF8) == 0xD0) ||
           (code[-3] == 0xFF && (code[-2] & 0xF8) == 0x50) || (code[-6] == 0xFF && (code[-5] & 0xF8) == 0x90);
}
#else
struct ch_frame_layout ch_frame_layout_of(uint64_t from, uint64_t to) {
    (void)from, (void)to;
    return (struct ch_frame_layout){0, 0, 0};
}
uint32_t ch_frame_words(const struct ch_frame_layout *layout, uint64_t pc, bool top) {
    (void)layout, (void)pc, (void)top;
    return UNKNOWN;
}
bool ch_frame_is_after_call(uint64_t from, uint64_t pc) {
    (void)from, (void)pc;
    return false;
}
#endif
