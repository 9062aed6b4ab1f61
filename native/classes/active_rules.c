/* The rules that are in force: they may be exchanged while other threads load classes.
 *
 * 1. An exchange makes the number odd while it lasts. A thread that begins to weave waits until it is even.
 * 2. A thread that has woven looks at the number again before the class gets its counters: if it has changed, the class
 *    is woven once more. So a class's table belongs to the rules that are the last in the metadata before it. */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BIT(kind) (1u << (kind))
enum { PATIENCE_MS = 2000 };
enum {
    OF_RULES = BIT(CH_RULES_RULE) | BIT(CH_RULES_TARGET) | BIT(CH_RULES_TYPE) | BIT(CH_RULES_CALLED) |
    BIT(CH_RULES_EXCEPT) | BIT(CH_RULES_SOURCE)
};

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static uint32_t number;
static struct ch_key weaving, all;

/* A hash of the compiled rules that leaves out what does not affect weaving: the rules' names and source positions. */
static struct ch_key hash_of(const char *text, size_t bytes, uint32_t kinds, bool names) {
    struct ch_key key = {0, 0};
    for (const char *line = text, *end = text + bytes, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        enum ch_rules_kind kind = ch_rules_kind_of(line, end);
        if (kind == CH_RULES_END) break;
        if (!(kinds & BIT(kind))) continue;
        const char *cut = line;
        for (int fields = 3; !names && kind == CH_RULES_RULE && fields && cut < next; cut++)
            fields -= *cut == '\t'; /* after its clauses */
        key = ch_hash_unkeyed(key, line, (size_t)((cut > line ? cut : next) - line));
    }
    return key;
}

struct ch_key ch_rules_hash(const char *text, size_t bytes) {
    return hash_of(text, bytes, OF_RULES | BIT(CH_RULES_HEAD) | BIT(CH_RULES_FILTER) | BIT(CH_RULES_SUPERTYPE), false);
}

static uint32_t users;
static __thread uint64_t used_ns __attribute__((tls_model("initial-exec")));

void ch_rules_use(void) { ch_add(&users, 1); }
void ch_rules_used(void) {
    ch_sub(&users, 1);
    used_ns = ch_monotonic_ns();
}
uint64_t ch_rules_used_ns(void) { return used_ns; }
bool ch_rules_are_unused(void) { return !ch_load(&users); }

static uint32_t now(void) { return ch_load_acquire(&number); }

struct ch_active_rules ch_active_rules(void) {
    struct ch_active_rules r = {.number = now()};
    for (int i = 0; r.number & 1 && i < PATIENCE_MS; i++, r.number = now())
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    r.weaving = weaving;
    r.all = all;
    return r;
}

bool ch_rules_are(uint32_t these) { return now() == these && !(these & 1); }

uint32_t ch_rules_number(void) { return now(); }

void ch_rules_exchange(void) { ch_add(&number, 1); }

void ch_rules_hold(void) { pthread_mutex_lock(&held); }
void ch_rules_release(void) { pthread_mutex_unlock(&held); }

/* A text that was in force before is described by the number of its description, from 1 on. Its end has the rules that
 * are paused. */
static void describe(const char *text, size_t bytes, bool take_back) {
    static struct ch_key *described;
    static uint32_t count;
    struct ch_key key = ch_hash_unkeyed((struct ch_key){0, 0}, text, bytes);
    uint32_t i = 0;
    while (i < count && !ch_same_key(described[i], key)) i++;
    if (i < count) {
        ch_meta_add(CH_META_RULES, i + 1, take_back, "", 0);
        return;
    }
    struct ch_key *more =
        ch_meta_add(CH_META_RULES, 0, take_back, text, bytes) ? realloc(described, (count + 1) * sizeof *more) : NULL;
    if (!more) return;
    described = more;
    described[count++] = key;
}

static uint32_t count_of(const char *text, size_t bytes) {
    uint32_t n = 0;
    for (const char *line = text, *end = text + bytes, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end - 1;
        n += ch_rules_kind_of(line, end) == CH_RULES_RULE;
    }
    return n;
}

static bool fewer;

bool ch_rules_are_fewer(void) { return ch_load_relaxed(&fewer); }

void ch_rules_exchanged(const char *text, size_t bytes, bool take_back) {
    static uint32_t count;
    uint32_t now_count = text ? count_of(text, bytes) : 0;
    ch_store_relaxed(&fewer, now_count < count);
    count = now_count;
    struct ch_key before = all;
    bool first = !number || number == 1;
    ch_rules_hold();
    if (text) {
        weaving = ch_rules_hash(text, bytes);
        all = hash_of(text, bytes, OF_RULES | BIT(CH_RULES_PAUSED), true); /* those that are paused are listed, too */
    } else {
        all = (struct ch_key){0, 0}; /* the next session says which rules it has, also if it has the same */
    }
    if (text && (first || !ch_same_key(before, all))) describe(text, bytes, take_back);
    ch_add(&number, 1);
    ch_rules_release();
}
