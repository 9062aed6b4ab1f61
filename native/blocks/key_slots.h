/* Keys: what tells the calls of one probe apart. Each key has a slot of its own, in all blocks. */
#ifndef CLASSHOOK_KEY_SLOTS_H
#define CLASSHOOK_KEY_SLOTS_H
#include "blocks.h"

struct ch_key_candidate {
    uint32_t hash, calls;
};
struct ch_keys { /* of a probe */
    uint32_t first; /* its first slot */
    uint32_t slots; /* of each key */
    uint32_t top;   /* so many keys get a slot when they come; further ones only if they come often */
    uint32_t used;
    uint64_t beyond; /* calls of keys without a slot */
    struct ch_key_candidate *candidates;
    /* writes a key as text; returns its length */
    size_t (*text)(const void *key, uint32_t bytes, char *to, size_t room);
};

uint32_t ch_key_slot(struct ch_keys *of, const void *key, uint32_t bytes); /* the slot that counts this call */
/* ... of a key that has a number */
uint32_t ch_key_slot_of_number(struct ch_keys *of, const void *key, uint32_t bytes, uint64_t number);
#endif
