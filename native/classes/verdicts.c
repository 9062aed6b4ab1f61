/* Remembers, from one run of a program to the next, what is best done of the methods of rules with a budget.
 *
 * 1. At the end of a run, counting/budget.c decides that. The verdicts go into the cache of woven classes, under a key of class and program
 *    (its main class or jar, base/program_name.c): in the order of places, a method's place and tier in a word; then what a call takes by itself, and how much of that belongs to methods that
 *    are only counted. A method is
 *    identified by its place among the paced methods of its class, which does not depend on how the class is woven. Verdicts that other
 *    JVMs add meanwhile are ignored, so that all copies of a class are woven alike.
 * 2. The next run weaves these methods as if by a `time`, `profile` or `count` rule, so the JIT sees no other code. Classes woven earlier
 *    (ahead of time, or where Python cannot be started) keep their probes, and their methods are downgraded before their first call.
 */
#include "classes.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct judged {
    struct ch_key key;
    struct ch_budgeted *methods;
    uint32_t n;
};
struct remembered {
    float self_ns, variance, counted;
    uint32_t hour;
};

#define NOTICED 0.01f /* a change of a part that is worth a record */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ch_key program_key;
static struct judged *classes;
static size_t room, used;

/* By the program's first word: with other arguments, it is the same program. */
void ch_verdicts_start(void) { program_key = ch_hash((struct ch_key){1, 0}, ch_header->program, strcspn(ch_header->program, " ")); }

static struct ch_key key_of(struct ch_key class_key) { return ch_hash(program_key, &class_key, sizeof class_key); }

struct ch_verdicts ch_verdicts_find(struct ch_key class_key) {
    struct ch_woven kept = {0};
    if (!ch_cache_find(key_of(class_key), "", 0, &kept) || kept.status != CH_VERDICTS ||
        kept.meta_bytes /* the verdicts after it would not be aligned */) {
        ch_woven_free(&kept);
        return (struct ch_verdicts){NULL, 0, NULL};
    }
    return (struct ch_verdicts){(const uint32_t *)(const void *)kept.bytes, kept.length / (sizeof(uint32_t) + sizeof(struct remembered)),
                                kept.memory};
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

void ch_verdicts_apply(struct ch_key class_key, struct ch_verdicts v, bool undecided, uint32_t first_slot, const struct ch_woven *w) {
    struct ch_probe_table t = ch_probe_table_of(w->meta, w->meta_bytes);
    const struct remembered *before = (const struct remembered *)(const void *)(v.methods + v.n);
    struct judged c = {class_key, NULL, 0};
    struct ch_probe p;
    uint32_t known = 0;
    while (ch_probe_table_next_probe(&t, &p)) {
        if (p.kind != CH_PROBE_TIME_BUDGET || p.slot >= w->slots || c.n == w->slots) continue;
        struct ch_budgeted m = {.slot = first_slot + p.slot, .place = p.paced.place};
        while (known < v.n && v.methods[known] / CH_TIERS < p.paced.place) known++;
        if (known < v.n && v.methods[known] / CH_TIERS == p.paced.place) {
            m.tier = v.methods[known] % CH_TIERS;
            if (undecided && m.tier == CH_ONLY_COUNTED) m.tier = CH_PATH_SAMPLED;
            m.self_ns = before[known].self_ns;
            m.variance = before[known].variance;
            m.counted = undecided ? 0 : before[known].counted;
            m.hour = before[known].hour;
            if (m.tier > CH_TIMED) ch_pace_give_up(m.slot, m.tier, true, undecided);
            ch_pace_remember(&m);
        }
        struct ch_budgeted *more = c.n & (c.n - 1) ? c.methods : realloc(c.methods, (c.n ? 2 * c.n : 1) * sizeof *more);
        if (!more) break;
        c.methods = more;
        c.methods[c.n++] = m;
    }
    if (c.n && ch_pack_is_open())
        note(c);
    else
        free(c.methods);
}

/* ---- at the end */

static float kept_counted(const struct ch_verdicts *v, uint32_t i) {
    return ((const struct remembered *)(const void *)(v->methods + v->n))[i].counted;
}

static void keep(const struct judged *c, const struct ch_budgeted *methods) {
    uint32_t n = 0, *words = malloc(c->n * (sizeof *words + sizeof(struct remembered)));
    if (!words) return;
    for (uint32_t i = 0; i < c->n; i++)
        if (methods[i].tier != CH_UNKNOWN) words[n++] = methods[i].place * CH_TIERS + methods[i].tier;
    struct remembered *to = (struct remembered *)(void *)(words + n);
    for (uint32_t i = 0; i < c->n; i++)
        if (methods[i].tier != CH_UNKNOWN) *to++ = (struct remembered){methods[i].self_ns, methods[i].variance, methods[i].counted, methods[i].hour};
    struct ch_verdicts kept = ch_verdicts_find(c->key);
    bool changed = n != kept.n || (n && memcmp(words, kept.methods, n * sizeof *words));
    for (uint32_t i = 0; !changed && i < n; i++) changed = fabsf(to[(int64_t)i - n].counted - kept_counted(&kept, i)) > NOTICED;
    bool lost = !kept.memory && ch_pack_find(key_of(c->key)).at; /* the record is damaged: replace it */
    struct ch_woven now = {.status = CH_VERDICTS, .bytes = (unsigned char *)words, .length = (uint32_t)((char *)to - (char *)words)};
    if (lost || changed) ch_cache_add(key_of(c->key), "", 0, &now, true);
    free(kept.memory);
    free(words);
}

void ch_verdicts_keep(void) {
    size_t n = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used; i++) n += classes[i].n;
    struct ch_budgeted *all = malloc((n + 1) * sizeof *all), *at = all;
    for (size_t i = 0; all && i < used; at += classes[i++].n) memcpy(at, classes[i].methods, classes[i].n * sizeof *all);
    if (n && all) ch_tiers_decide(all, n);
    at = all;
    for (size_t i = 0; all && i < used; at += classes[i++].n) keep(&classes[i], at);
    free(all);
    used = 0;
    pthread_mutex_unlock(&lock);
}
