/* How full the heap was when a garbage collection ended: from the JVM's own counters, which it keeps in memory for jstat and updates before it reports the end.
 * (On its own thread, while all others stand still, the JVM can be asked nothing.)
 *
 * A counter is an entry in that memory: a name, a type, and the value. Without these counters (-XX:-UsePerfData, -XX:+PerfDisableSharedMem) nothing is known.
 */
#include "events.h"
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0xcafec0c0, LONG = 'J', MOST = 16 };

struct head {
    uint32_t magic;
    uint8_t order, major, minor, accessible;
    uint32_t used, overflow;
    uint64_t changed;
    uint32_t first, n;
};
struct entry {
    uint32_t bytes, name, length;
    uint8_t type, flags, units, variability;
    uint32_t value;
};

struct counters {
    const uint64_t *all[MOST];
    uint32_t n;
};
static struct counters used, total, reserved; /* one of two survivor spaces is always empty, and no part of Java's total */

static void add(struct counters *to, const uint64_t *value) {
    if (to->n < MOST) to->all[to->n++] = value;
}

/* `sun.gc.generation.0.space.2.used`, `sun.gc.generation.0.capacity`. */
static void look_at(const char *name, const uint64_t *value) {
    int generation, space, end = 0;
    if (sscanf(name, "sun.gc.generation.%d.space.%d.used%n", &generation, &space, &end) == 2 && end && !name[end]) add(&used, value);
    end = 0;
    if (sscanf(name, "sun.gc.generation.%d.capacity%n", &generation, &end) == 1 && end && !name[end]) add(&total, value);
    if (!strcmp(name, "sun.gc.generation.0.space.1.capacity")) add(&reserved, value);
}

/* Its order of bytes is the machine's. */
static void read(const unsigned char *memory, size_t bytes) {
    const struct head *head = (const void *)memory;
    if (bytes < sizeof *head || __builtin_bswap32(head->magic) != MAGIC || head->major != 2) return;
    size_t at = head->first;
    for (uint32_t i = 0; i < head->n; i++) {
        const struct entry *e = (const void *)(memory + at);
        if (at + sizeof *e > bytes || e->bytes < sizeof *e || e->bytes > bytes - at) return;
        bool whole = e->name < e->bytes && memchr((const char *)e + e->name, 0, e->bytes - e->name) && e->value + sizeof(uint64_t) <= e->bytes;
        if (whole && e->type == LONG) look_at((const char *)e + e->name, (const uint64_t *)(const void *)((const char *)e + e->value));
        at += e->bytes;
    }
}

void ch_heap_figures_find(void) {
    char line[512];
    unsigned long begin, end;
    FILE *maps = used.n ? NULL : fopen("/proc/self/maps", "re");
    while (maps && !used.n && fgets(line, sizeof line, maps))
        if (strstr(line, "/hsperfdata_") && sscanf(line, "%lx-%lx", &begin, &end) == 2) read((const unsigned char *)begin, end - begin);
    if (maps) fclose(maps);
}

static uint64_t sum(const struct counters *of) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < of->n; i++) all += ch_load_relaxed(of->all[i]);
    return all;
}

void ch_heap_figures(uint64_t *bytes_used, uint64_t *bytes_total) {
    *bytes_used = sum(&used);
    *bytes_total = sum(&total) - sum(&reserved);
}
