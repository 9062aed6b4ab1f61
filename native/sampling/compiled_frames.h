/* Frames of compiled methods on the stack: see compiled_frames.c. */
#ifndef CLASSHOOK_COMPILED_FRAMES_H
#define CLASSHOOK_COMPILED_FRAMES_H
#include <stdbool.h>
#include <stdint.h>

struct ch_frame_layout {
    uint64_t pushed, made; /* the addresses from which on the frame pointer is stored, and the frame is there */
    uint32_t words; /* of it, below the return address; 0: unknown */
};
struct ch_frame_layout ch_frame_layout_of(uint64_t from, uint64_t to);
/* From the stack's top to the return address, for a thread that is at `pc`. `top`: it may just make the frame, or leave
 * it; else it is in a call. UINT32_MAX / 2: unknown. */
uint32_t ch_frame_words(const struct ch_frame_layout *layout, uint64_t pc, bool top);
bool ch_frame_is_after_call(uint64_t from, uint64_t pc); /* in code that begins at `from` */
#endif
