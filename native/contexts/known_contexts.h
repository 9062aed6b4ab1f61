/* The contexts that were entered so far, by probe and key: see known_contexts.c. */
#ifndef CLASSHOOK_KNOWN_CONTEXTS_H
#define CLASSHOOK_KNOWN_CONTEXTS_H
#include "attribution.h"
#include "context_blocks.h"

struct ch_context_entered {
    uint32_t probe, slot; /* the first slot of the probe that begins it, or CH_NO_PROBE; its own */
    uint32_t times_slot; /* of the record of its times, in its blocks; 0: without a probe there are none */
    uint32_t number; /* from 1 on */
    uint32_t bytes;
    char *key; /* what tells it apart from others of the probe; NULL: there are no others; without a probe, its name */
    struct ch_context_blocks blocks;
};

struct ch_context_entered *ch_context_numbered(int64_t number); /* NULL: there is none, whoever asks */

#endif
