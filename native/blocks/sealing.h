/* Sealed parts: what a block had counted when it was emptied for others. */
#ifndef CLASSHOOK_SEALING_H
#define CLASSHOOK_SEALING_H
#include "blocks.h"

/* ---- sealing.c: blocks have keys, and what they counted can be put aside */
/* an empty block counts for these from now on (0: for none) */
void ch_block_belongs(struct ch_block *b, uint32_t context, uint32_t thread);
enum ch_sealed_as {
    CH_NOT_SEALED /* there is no room, or not now: nothing has changed */,
    CH_SEALED_EMPTY /* it had counted nothing */,
    CH_SEALED_PART
};
/* Seals the block's counts with its key; the block is then empty, and nobody's. No thread may count in
 * it. */
enum ch_sealed_as ch_block_seal(struct ch_block *b, struct ch_sealed **part);
/* an empty block goes on with a part, which is no more; false: nothing has changed */
bool ch_block_restore(struct ch_block *b, struct ch_sealed *part);
uint64_t ch_sealed_sum(uint32_t slot); /* over all parts. They may move meanwhile: the sum is about right */

/* ---- sealed_rooms.c: where parts lie */
struct ch_sealed *ch_sealed_room(size_t bytes); /* its `room` is set, its id 0; NULL: there is none */
void ch_sealed_free(struct ch_sealed *part);
struct ch_sealed *ch_sealed_after(const struct ch_sealed *before); /* all rooms, used or not; NULL: none follows */
#endif
