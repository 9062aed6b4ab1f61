/* Methods that are too short for their rule's budget, from one run to the next.
 *
 * 1. At the end, pace.c says of each method with a budget whether it is called often and not worth timing. Those go into the cache of
 *    woven classes, under a key beside their class's. A method is known by its place among the paced ones of its class, which is the
 *    same however the class is woven.
 * 2. The next run has them woven as counted ones: the JIT then sees as little of them as a `count` rule shows it. What was woven before
 *    (ahead of time, or where Python cannot be started) keeps its probes, and is given up before its first call.
 * 3. Who is in it stays in it, since it has no times any more; it goes with the cache.
 */
#include "agent.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct judged {
    struct ch_key key;
    uint32_t first_slot, slots;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct judged *classes;
static size_t room, used;

static struct ch_key key_of(struct ch_key class_key) { return (struct ch_key){~class_key.high, class_key.low}; }

struct ch_verdicts ch_verdicts_find(struct ch_key class_key) {
    struct ch_woven kept;
    if (!ch_cache_find(key_of(class_key), &kept)) return (struct ch_verdicts){NULL, 0};
    return (struct ch_verdicts){(const uint32_t *)(const void *)kept.bytes, kept.length / sizeof(uint32_t)};
}

/* Whether this method is the next one in the list, which is then taken off it: methods are asked for in order. */
static bool has(struct ch_verdicts *v, uint32_t method) {
    if (!v->n || v->methods[0] != method) return false;
    v->methods++;
    v->n--;
    return true;
}

static void note(struct ch_key key, uint32_t first_slot, uint32_t slots) {
    pthread_mutex_lock(&lock);
    size_t more = used == room ? room * 2 + 256 : room;
    struct judged *grown = more > room ? realloc(classes, more * sizeof *classes) : classes;
    if (grown) {
        classes = grown;
        room = more;
        classes[used++] = (struct judged){key, first_slot, slots};
    }
    pthread_mutex_unlock(&lock);
}

void ch_verdicts_apply(struct ch_key class_key, struct ch_verdicts v, uint32_t first_slot, uint32_t slots) {
    uint32_t paced = 0;
    bool any = false;
    for (uint32_t slot = first_slot; slot < first_slot + slots; slot++) {
        if (!ch_pace_is_paced(slot)) continue;
        any |= ch_pace_has_budget(slot);
        if (has(&v, paced++)) ch_pace_give_up(slot);
    }
    if (any) note(class_key, first_slot, slots);
}

static void keep(const struct judged *c) {
    struct ch_verdicts kept = ch_verdicts_find(c->key), rest = kept;
    uint32_t *methods = malloc(c->slots * sizeof *methods), paced = 0, n = 0;
    if (!methods) return;
    ch_lock();
    for (uint32_t slot = c->first_slot; slot < c->first_slot + c->slots; slot++) {
        if (!ch_pace_is_paced(slot)) continue;
        if (has(&rest, paced) || ch_pace_is_too_short(slot)) methods[n++] = paced;
        paced++;
    }
    ch_unlock();
    struct ch_woven now = {.status = CH_VERDICTS, .bytes = (unsigned char *)methods, .length = n * (uint32_t)sizeof *methods};
    if (n > kept.n) ch_cache_add(key_of(c->key), &now, true);
    free(methods);
}

void ch_verdicts_keep(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used; i++) keep(&classes[i]);
    used = 0;
    pthread_mutex_unlock(&lock);
}
