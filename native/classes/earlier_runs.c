/* Remembers, from one run of a program to the next, the methods that are too short for their rule's budget.
 *
 * 1. At the end of a run, pacing.c decides for each method with a budget whether it is called often and not worth timing. These verdicts
 *    go into the cache of woven classes, under a key of class and program (its main class or jar). A method is identified by its place
 *    among the paced methods of its class, which does not depend on how the class is woven. Verdicts that other JVMs add meanwhile are
 *    ignored, so that all copies of a class are woven alike.
 * 2. The next run weaves these methods as if by a `count` rule, so the JIT sees no timing code. Classes woven earlier (ahead of time, or
 *    where Python cannot be started) keep their probes, and these methods are downgraded to counting before their first call.
 * 3. Such a method has no times by which it could be judged again. It is forgotten by a run that hardly calls it.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct method {
    uint32_t slot, place;
};
struct judged {
    struct ch_key key;
    struct method *methods;
    uint32_t n;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ch_key program_key;
static struct judged *classes;
static size_t room, used;

/* `program`: main class or jar, followed by its arguments. */
void ch_verdicts_start(const char *program) { program_key = ch_hash((struct ch_key){1, 0}, program, strcspn(program, " ")); }

static struct ch_key key_of(struct ch_key class_key) { return ch_hash(program_key, &class_key, sizeof class_key); }

struct ch_verdicts ch_verdicts_find(struct ch_key class_key) {
    struct ch_woven kept = {0};
    if (!ch_cache_find(key_of(class_key), "", 0, &kept) || kept.status != CH_VERDICTS || kept.meta_bytes /* the verdicts after it would not be aligned */) {
        ch_woven_free(&kept);
        return (struct ch_verdicts){NULL, 0, NULL};
    }
    return (struct ch_verdicts){(const uint32_t *)(const void *)kept.bytes, kept.length / sizeof(uint32_t), kept.memory};
}

static void note(struct judged c) {
    pthread_mutex_lock(&lock);
    size_t more = used == room ? room * 2 + 256 : room;
    struct judged *grown = more > room ? realloc(classes, more * sizeof *classes) : classes;
    if (grown) {
        classes = grown;
        room = more;
        classes[used++] = c;
    }
    pthread_mutex_unlock(&lock);
    if (!grown) free(c.methods);
}

void ch_verdicts_apply(struct ch_key class_key, struct ch_verdicts v, uint32_t first_slot, const struct ch_woven *w) {
    const char *at = w->meta;
    struct judged c = {class_key, NULL, 0};
    struct ch_paced p;
    uint32_t known = 0;
    while (ch_pace_next(&at, w->meta + w->meta_bytes, &p)) {
        if (!p.budget || p.slot >= w->slots || p.place == UINT32_MAX || c.n == w->slots) continue;
        while (known < v.n && v.methods[known] < p.place) known++;
        if (known < v.n && v.methods[known] == p.place) ch_pace_give_up(first_slot + p.slot, true);
        struct method *more = c.n & (c.n - 1) ? c.methods : realloc(c.methods, (c.n ? 2 * c.n : 1) * sizeof *more);
        if (!more) break;
        c.methods = more;
        c.methods[c.n++] = (struct method){first_slot + p.slot, p.place};
    }
    if (c.n && ch_pack_is_open())
        note(c);
    else
        free(c.methods);
}

static void keep(const struct judged *c) {
    uint32_t *places = malloc(c->n * sizeof *places), n = 0;
    if (!places) return;
    ch_lock();
    for (uint32_t i = 0; i < c->n; i++)
        if (ch_pace_is_too_short(c->methods[i].slot)) places[n++] = c->methods[i].place;
    ch_unlock();
    struct ch_verdicts kept = ch_verdicts_find(c->key);
    bool lost = !kept.memory && ch_pack_find(key_of(c->key)).at; /* the record is damaged: replace it */
    struct ch_woven now = {.status = CH_VERDICTS, .bytes = (unsigned char *)places, .length = n * (uint32_t)sizeof *places};
    if (lost || n != kept.n || (n && memcmp(places, kept.methods, now.length))) ch_cache_add(key_of(c->key), "", 0, &now, true);
    free(kept.memory);
    free(places);
}

void ch_verdicts_keep(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used; i++) keep(&classes[i]);
    used = 0;
    pthread_mutex_unlock(&lock);
}
