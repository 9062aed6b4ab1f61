/* The metadata of the data file: descriptions of woven and skipped classes, one record after another (classhook.h). */
#include "base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ch_region meta;

/* Offsets of the woven classes in the metadata, by first slot: to find the site of a slot. */
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
        if (!more) return;
        woven = more;
        woven_room = room;
    }
    size_t i = woven_count++;
    for (; i && woven[i - 1].first_slot > first_slot; i--) woven[i] = woven[i - 1];
    woven[i] = (struct woven_class){first_slot, at};
}

/* A site's line is P<TAB>slot<TAB>...<TAB>type, see instrument/weaving/probe_table.py. */
static char *type_in(const struct ch_meta *m, uint32_t slot) {
    const char *text = (const char *)(m + 1), *end = text + m->bytes;
    char key[24];
    int n = snprintf(key, sizeof key, "\nP\t%u\t", slot - m->first_slot);
    const char *line = memmem(text, m->bytes, key, (size_t)n);
    if (!line) return NULL;
    const char *stop = memchr(line + 1, '\n', (size_t)(end - line - 1)), *tab;
    if (!stop) stop = end;
    tab = memrchr(line, '\t', (size_t)(stop - line));
    return strndup(tab + 1, (size_t)(stop - tab - 1));
}

bool ch_meta_has_foreign_objects(const char *table, size_t bytes) {
    const char *end = table + bytes, *line = table, *stop;
    for (; line < end && (line = memmem(line, (size_t)(end - line), "\nP\t", 3)); line = stop) {
        if (!(stop = memchr(line + 1, '\n', (size_t)(end - line - 1)))) stop = end;
        const char *kind = memchr(line + 3, '\t', (size_t)(stop - line - 3)), *type = memrchr(line, '\t', (size_t)(stop - line));
        if (kind && kind[1] == 'o' && strncmp(type + 1, "java.", 5)) return true;
    }
    return false;
}

char *ch_meta_type_of(uint32_t slot) {
    char *type = NULL;
    ch_lock();
    size_t low = 0, high = woven_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (woven[middle].first_slot <= slot)
            low = middle + 1;
        else
            high = middle;
    }
    if (low) type = type_in((const struct ch_meta *)(meta.base + woven[low - 1].at), slot);
    ch_unlock();
    return type;
}

void ch_meta_add(enum ch_meta_kind kind, uint32_t first_slot, uint32_t slots, const void *text, size_t bytes) {
    ch_lock();
    uint64_t at = ch_header->meta_used, end = (at + sizeof(struct ch_meta) + bytes + 7) & ~(uint64_t)7;
    if (bytes < UINT32_MAX && end <= meta.bytes) {
        struct ch_meta *m = (struct ch_meta *)(meta.base + at);
        *m = (struct ch_meta){(uint32_t)bytes, kind, first_slot, slots};
        memcpy(m + 1, text, bytes);
        if (kind == CH_META_CLASS && slots) remember_class(first_slot, at);
        __atomic_store_n(&ch_header->meta_used, end, __ATOMIC_RELEASE);
    } else {
        ch_header->refused++;
    }
    ch_unlock();
}
