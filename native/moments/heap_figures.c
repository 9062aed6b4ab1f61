/* The use of the heap when a garbage collection ended, and its cause: from the JVM's own counters, which it
 * keeps in memory for jstat and updates before it reports the end.
 * (On its own thread, while all others stand still, the JVM can be asked nothing.)
 *
 * A counter is an entry in that memory: a name, a type, and the value. Without these counters (-XX:-UsePerfData,
 * -XX:+PerfDisableSharedMem) nothing is known.
 */
#include "moments.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0xcafec0c0, LONG = 'J', BYTES = 'B', MOST = 16 };

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
static struct counters used, total,
    reserved; /* one of two survivor spaces is always empty, and no part of Java's total */
static const char *cause, *last_cause; /* while there is a collection; of the one before */
static const char *policy; /* of collectors that do all in pauses, but for marking; others have none */

static void add(struct counters *to, const uint64_t *value) {
    if (to->n < MOST) to->all[to->n++] = value;
}

/* `sun.gc.generation.0.space.2.used`, `sun.gc.generation.0.capacity`. */
static void look_at(const char *name, const uint64_t *value) {
    int generation, space, end = 0;
    if (sscanf(name, "sun.gc.generation.%d.space.%d.used%n", &generation, &space, &end) == 2 && end && !name[end])
        add(&used, value);
    end = 0;
    if (sscanf(name, "sun.gc.generation.%d.capacity%n", &generation, &end) == 1 && end && !name[end])
        add(&total, value);
    if (!strcmp(name, "sun.gc.generation.0.space.1.capacity")) add(&reserved, value);
}

static void look_at_text(const char *name, const char *text) {
    if (!strcmp(name, "sun.gc.cause")) cause = text;
    if (!strcmp(name, "sun.gc.lastCause")) last_cause = text;
    if (!strcmp(name, "sun.gc.policy.name")) policy = text;
}

/* Reads the counters; their order of bytes is the machine's. */
static void read(const unsigned char *memory, size_t bytes) {
    const struct head *head = (const void *)memory;
    if (bytes < sizeof *head || __builtin_bswap32(head->magic) != MAGIC || head->major != 2) return;
    size_t at = head->first;
    for (uint32_t i = 0; i < head->n; i++) {
        const struct entry *e = (const void *)(memory + at);
        if (at + sizeof *e > bytes || e->bytes < sizeof *e || e->bytes > bytes - at) return;
        bool whole = e->name < e->bytes && memchr((const char *)e + e->name, 0, e->bytes - e->name) &&
                     e->value + sizeof(uint64_t) <= e->bytes;
        if (whole && e->type == LONG)
            look_at((const char *)e + e->name, (const uint64_t *)(const void *)((const char *)e + e->value));
        const char *text = (const char *)e + e->value;
        if (whole && e->type == BYTES && e->length <= e->bytes - e->value && memchr(text, 0, e->length))
            look_at_text((const char *)e + e->name, text);
        at += e->bytes;
    }
}

static void find(void) {
    char line[512];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !used.n && fgets(line, sizeof line, maps))
        if (strstr(line, "/hsperfdata_") && sscanf(line, "%lx-%lx", &begin, &end) == 2)
            read((const unsigned char *)begin, end - begin);
    if (maps) fclose(maps);
}

void ch_heap_figures_find(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!used.n) find(); /* they may have come since it was asked for */
    pthread_mutex_unlock(&lock);
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

static const char *known(const char *text) { return text && *text && strcmp(text, "No GC") ? text : NULL; }

/* The serial and the parallel collector do not say the cause before the collection is over. G1 has pauses without
 * any. */
const char *ch_collection_cause(void) {
    const char *now = known(cause);
    return now || !policy || !strcmp(policy, "GarbageFirst") ? now : known(last_cause);
}

bool ch_collects_in_pauses(void) { return policy; }
