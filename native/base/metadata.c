/* The metadata of the data file: descriptions of woven and skipped classes, one record after another (classhook.h). */
#include "base.h"
#include "sorted.h"
#include <stdlib.h>
#include <string.h>

static struct ch_region meta;

/* Offsets of the woven classes in the metadata, by first slot: to find the class of a slot. */
static struct woven_class {
    uint32_t first_slot;
    uint64_t at;
} *woven;
static size_t woven_count, woven_room;

bool ch_meta_start(void) { return ch_region_open(&meta, CH_META, 0, ch_room.meta_bytes, 0); }

/* Keeps the table sorted by slot. Classes woven by several threads at once arrive in nearly that order. */
static void remember_class(uint32_t first_slot, uint64_t at) {
    if (woven_count == woven_room) {
        size_t room = woven_room ? woven_room * 2 : 256;
        struct woven_class *more = realloc(woven, room * sizeof *more);
        if (!more) {
            ch_no_memory();
            return;
        }
        woven = more;
        woven_room = room;
    }
    size_t i = woven_count++;
    for (; i && woven[i - 1].first_slot > first_slot; i--) woven[i] = woven[i - 1];
    woven[i] = (struct woven_class){first_slot, at};
}

const struct ch_meta *ch_meta_of(uint32_t slot) {
    ch_lock();
    size_t behind = ch_first_where(woven_count, i, woven[i].first_slot > slot);
    const struct ch_meta *found = behind ? (const struct ch_meta *)(meta.base + woven[behind - 1].at) : NULL;
    ch_unlock();
    return found;
}

struct ch_meta *ch_meta_add(enum ch_meta_kind kind, uint32_t first_slot, uint32_t slots, const void *text,
                            size_t bytes) {
    struct ch_meta *m = NULL;
    ch_lock();
    uint64_t at = ch_header->meta_used, end = (at + sizeof(struct ch_meta) + bytes + 7) & ~(uint64_t)7;
    if (bytes < UINT32_MAX && end <= meta.bytes) {
        m = (struct ch_meta *)(meta.base + at);
        *m = (struct ch_meta){(uint32_t)bytes, kind, first_slot, slots};
        memcpy(m + 1, text, bytes);
        if (kind == CH_META_CLASS && slots) remember_class(first_slot, at);
        ch_store_release(&ch_header->meta_used, end);
    } else {
        ch_header->refused++;
    }
    ch_unlock();
    return m;
}

void ch_meta_void(struct ch_meta *m) { ch_store_relaxed(&m->kind, CH_META_VOID); }
