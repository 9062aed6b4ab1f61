/* The blocks in which contexts count. */
#ifndef CLASSHOOK_CONTEXT_BLOCKS_H
#define CLASSHOOK_CONTEXT_BLOCKS_H
#include "../blocks/sealing.h"

struct ch_context_blocks { /* of a context */
    struct ch_block *unused; /* no thread is in the context with them */
    struct ch_put_aside *parts; /* what others of its blocks had counted */
};
/* slot: the context's. NULL: there is no room */
struct ch_block *ch_context_block_take(struct ch_context_blocks *c, uint32_t slot);
void ch_context_block_give(struct ch_context_blocks *c, struct ch_block *b); /* a thread has left the context */
#endif
