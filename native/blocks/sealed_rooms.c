/* Rooms for sealed parts, in regions of the data file. All is called by one thread at a time, but for ch_sealed_after.
 *
 * 1. Rooms follow each other without gaps, so that readers find all by their sizes. Sizes are of classes, eight in each
 *    power of two. A room keeps its size; when its part is no more, it is given to another part of its class or of one
 *    of the next smaller classes.
 * 2. A room is used again at the earliest after RESTING: a reader of the file may have read the blocks, and be about to
 *    read their parts.
 */
#include "sealing.h"
#include <stdlib.h>

enum { STEPS = 8, CLASSES = 32 * STEPS, LARGER = 3 /* classes that are tried */, SEGMENTS = 4096 };
#define SEGMENT ((size_t)16 << 20)
#define MOST ((uint64_t)8 << 30) /* bytes of all */
#define RESTING 5000000000u /* ns */

struct resting {
    struct resting *next;
    struct ch_sealed *room;
    uint64_t since;
};
static struct queue {
    struct resting *first, *last;
} queues[CLASSES];
static struct ch_region segments[SEGMENTS];
static uint32_t segment_count;
static size_t used; /* bytes of the last one */
static uint64_t all; /* bytes of all segments */

/* The class of a size in units of CH_UNIT, rounded up to one with few digits. */
static uint32_t class_of(uint64_t units, uint64_t *rounded) {
    uint32_t shift = units < 2 * STEPS ? 0 : 60 - (uint32_t)__builtin_clzll(units);
    uint64_t step = (units + ((uint64_t)1 << shift) - 1) >> shift;
    *rounded = step << shift;
    return shift * STEPS + (uint32_t)step;
}

static struct ch_sealed *used_again(uint32_t class, bool at_once) {
    uint64_t now = ch_monotonic_ns();
    for (uint32_t c = class; c < CLASSES && c <= class + LARGER; c++) {
        struct resting *r = queues[c].first;
        if (!r || (!at_once && now - r->since < RESTING)) continue;
        struct ch_sealed *room = r->room;
        queues[c].first = r->next;
        free(r);
        return room;
    }
    return NULL;
}

static bool open_segment(size_t bytes) {
    struct ch_region *r = &segments[segment_count];
    uint64_t most = ch_room.limit ? ch_room.limit / 16 : MOST;
    size_t size = bytes > SEGMENT ? bytes : SEGMENT;
    if (segment_count == SEGMENTS || all + size > most) return false;
    ch_lock();
    bool there = ch_region_open(r, CH_SEALED, segment_count, size, all + size) && r->file;
    ch_unlock();
    if (!there) return false;
    all += r->bytes;
    used = 0;
    ch_store_release(&segment_count, segment_count + 1);
    return true;
}

struct ch_sealed *ch_sealed_room(size_t bytes) {
    uint64_t units = 0;
    uint32_t class = class_of((bytes + CH_UNIT - 1) / CH_UNIT, &units);
    size_t size = units * CH_UNIT;
    if (class >= CLASSES || size > UINT32_MAX) return NULL;
    struct ch_sealed *room = used_again(class, false);
    if (room) return room;
    if ((!segment_count || used + size > segments[segment_count - 1].bytes) && !open_segment(size))
        return used_again(class, true);
    room = (struct ch_sealed *)(void *)(segments[segment_count - 1].base + used);
    used += size;
    ch_store_release(&room->room, (uint32_t)size);
    return room;
}

/* Without memory, the room stays unused. */
void ch_sealed_free(struct ch_sealed *part) {
    uint64_t units = 0;
    struct queue *q = &queues[class_of(part->room / CH_UNIT, &units)];
    struct resting *r = malloc(sizeof *r);
    if (!r) return;
    *r = (struct resting){NULL, part, ch_monotonic_ns()};
    if (q->first)
        q->last->next = r;
    else
        q->first = r;
    q->last = r;
}

static struct ch_sealed *room_at(const struct ch_region *r, size_t at) {
    struct ch_sealed *room = (struct ch_sealed *)(void *)(r->base + at);
    return at + sizeof *room <= r->bytes && ch_load_acquire(&room->room) ? room : NULL;
}

struct ch_sealed *ch_sealed_after(const struct ch_sealed *before) {
    uint32_t n = ch_load_acquire(&segment_count), i = 0;
    if (before) {
        const uint8_t *at = (const uint8_t *)before;
        while (i < n && (at < segments[i].base || at >= segments[i].base + segments[i].bytes)) i++;
        if (i == n) return NULL;
        struct ch_sealed *next = room_at(&segments[i], (size_t)(at - segments[i].base) + before->room);
        if (next) return next;
        i++;
    }
    for (; i < n; i++) {
        struct ch_sealed *first = room_at(&segments[i], 0);
        if (first) return first;
    }
    return NULL;
}
