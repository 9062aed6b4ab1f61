/* The contexts that were entered so far: each has a slot of its own and a name in the data file, and stays for good. */
#include "known_contexts.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTEXTS = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the table, and the list */
struct known {
    uint32_t hash;
    struct ch_context_entered *context;
};
static CH_TABLE(struct known) contexts; /* by probe and key */
static struct ch_context_entered **listed; /* by number */
static uint32_t count, room;

struct sought {
    uint32_t probe, bytes;
    const char *key;
};

static bool is_sought(const void *entry, const void *what) {
    const struct ch_context_entered *c = ((const struct known *)entry)->context;
    const struct sought *w = what;
    return c->probe == w->probe && c->bytes == w->bytes && (!w->bytes || !memcmp(c->key, w->key, w->bytes));
}

static uint32_t hash_of(const struct sought *w) {
    return w->bytes ? (uint32_t)ch_hash_own((struct ch_key){w->probe, 0}, w->key, w->bytes).low
                    : ch_hash_number(w->probe);
}

/* NULL: it was not entered before. */
static struct ch_context_entered *find(const struct sought *w, uint32_t hash) {
    pthread_mutex_lock(&lock);
    struct known *k = ch_table_find(&contexts, hash, is_sought, w);
    struct ch_context_entered *c = k ? k->context : NULL;
    pthread_mutex_unlock(&lock);
    return c;
}

/* Writes its name to the data file: `name [key]`. */
static void say(const struct ch_context_entered *c) {
    struct ch_text class_name;
    struct ch_probe p;
    if (c->probe == CH_NO_PROBE) {
        ch_meta_add(CH_META_CONTEXT, c->slot, 0, c->key, c->bytes);
        return;
    }
    char *name = ch_probe_of(c->probe, CH_KIND(CONTEXT), &class_name, &p) ? ch_text_copy(p.context.name) : NULL;
    size_t n = name ? strlen(name) : 0;
    char *text = malloc(n + c->bytes + 4);
    if (text) {
        int written = c->key ? sprintf(text, "%s [%.*s]", name ? name : "", (int)c->bytes, c->key)
                             : sprintf(text, "%s", name ? name : "?");
        ch_meta_add(CH_META_CONTEXT, c->slot, c->times_slot, text, (size_t)written);
    } else {
        ch_no_memory();
    }
    free(text);
    free(name);
}

/* Lock held. */
static bool list(struct ch_context_entered *c) {
    enum { FIRST_ROOM = 64 };
    if (count == room) {
        uint32_t more = room ? 2 * room : FIRST_ROOM;
        struct ch_context_entered **longer = realloc(listed, more * sizeof *longer);
        if (!longer) return false;
        listed = longer;
        room = more;
    }
    listed[count] = c;
    c->number = ++count;
    return true;
}

struct ch_context_entered *ch_context_numbered(int64_t number) {
    pthread_mutex_lock(&lock);
    struct ch_context_entered *c = number > 0 && number <= count ? listed[number - 1] : NULL;
    pthread_mutex_unlock(&lock);
    return c;
}

static bool fill(struct ch_context_entered *c, const struct sought *w, uint32_t hash) {
    c->probe = w->probe;
    c->bytes = w->bytes;
    c->key = w->bytes ? malloc(w->bytes) : NULL;
    if (w->bytes && !c->key) return false;
    if (c->key) memcpy(c->key, w->key, w->bytes);
    bool timed = c->probe != CH_NO_PROBE;
    c->slot = ch_slots_take(1 + timed);
    c->times_slot = timed ? c->slot + 1 : 0;
    pthread_mutex_lock(&lock);
    bool is_listed = c->slot != UINT32_MAX && list(c),
         there = is_listed && ch_table_add(&contexts, hash, &(struct known){.context = c});
    if (is_listed && !there) count--;
    pthread_mutex_unlock(&lock);
    return there;
}

/* The context of a probe and a key; beyond MOST_CONTEXTS, the probe's for all others. NULL: there is no room for
 * one. */
static struct ch_context_entered *make(const struct sought *w, uint32_t hash) {
    static const char others[] = "others";
    struct ch_context_entered *c = NULL;
    ch_lock();
    bool there = ch_keys_start();
    struct sought wanted = *w;
    if (there && w->bytes && contexts.table.used >= MOST_CONTEXTS) {
        wanted = (struct sought){w->probe, sizeof others - 1, others};
        hash = hash_of(&wanted);
    }
    if (there && !(c = find(&wanted, hash)) && (c = calloc(1, sizeof *c))) {
        if (fill(c, &wanted, hash)) {
            say(c);
        } else {
            free(c->key);
            free(c);
            c = NULL;
        }
    }
    ch_unlock();
    return c;
}

struct ch_context_entered *ch_context_of(uint32_t probe, const char *key, uint32_t bytes) {
    const struct sought wanted = {probe, bytes, key};
    uint32_t hash = hash_of(&wanted);
    struct ch_context_entered *context = find(&wanted, hash);
    return context ? context : make(&wanted, hash);
}
