/* What rules `watch` ask for, by the slots of their probes: from the line of the probe table, when a probe runs for the first time.
 *
 * The line is `P slot l rule method descriptor SPEC names`. SPEC has words with blanks between them (instrument/measures/watch.py):
 *
 *     rule over first every slowest frames secret number way... condition
 *
 * A way is a root, `t`, `r`, `x` or `a` and a number, then fields, each behind a dot; `*` in front: its value is a secret. A condition has operators
 * in front; `-`: none. A constant is `n`, or `b`, `i`, `d`, `s` and its value; that of a string is in hexadecimal UTF-16.
 */
#include "watch.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_FIELDS = 7, DEEPEST = 256, MOST_LIMITS = 10000, MOST_SLOWEST = 1000 };

static const struct ch_watch **known; /* by slot; one that is none: &nothing */
static const struct ch_watch nothing;
static struct ch_limit *limits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct words {
    char *rest;
    int depth;
    bool wrong;
};

static char *next_word(struct words *w) {
    char *word = strtok_r(NULL, " ", &w->rest);
    if (!word) w->wrong = true;
    return word ? word : (char *)"";
}

static uint64_t next_number(struct words *w) { return strtoull(next_word(w), NULL, 10); }

static void *made(struct words *w, size_t n, size_t bytes) {
    void *p = calloc(n ? n : 1, bytes);
    if (!p) w->wrong = true;
    return p;
}

/* The word is cut in place, and stays. */
static struct ch_way way_of(struct words *w, char *word) {
    struct ch_way way = {.masked = *word == '*'};
    char *name = strdup(word + way.masked), *at = name;
    if (!name) {
        w->wrong = true;
        return way;
    }
    switch (*name) {
        case 't': way.root = CH_ROOT_THIS; break;
        case 'r': way.root = CH_ROOT_RESULT; break;
        case 'x': way.root = CH_ROOT_EXCEPTION; break;
        default: way.root = atoi(name + 1);
    }
    for (char *p = name; *p; p++) way.steps += *p == '.';
    way.step = made(w, way.steps, sizeof *way.step);
    for (uint32_t i = 0; way.step && i < way.steps; i++) {
        at = strchr(at, '.');
        *at++ = 0;
        way.step[i].name = at;
    }
    if (way.step && way.steps && way.root == CH_ROOT_EXCEPTION) way.step[0].name = "detailMessage"; /* of Throwable */
    return way;
}

static unsigned hex(char c) { return (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10) & 15; }

static struct ch_constant constant_of(struct words *w, const char *word) {
    struct ch_constant c = {.kind = CH_VALUE_NULL};
    switch (*word) {
        case 'b': c.kind = CH_VALUE_BOOLEAN; c.number = word[1] == '1'; break;
        case 'i': c.kind = CH_VALUE_INT; c.number = strtoll(word + 1, NULL, 10); break;
        case 'd': c.kind = CH_VALUE_DOUBLE; c.real = strtod(word + 1, NULL); break;
        case 's':
            c.kind = CH_VALUE_STRING;
            c.units = (uint32_t)(strlen(word + 1) / 4);
            c.text = made(w, c.units, sizeof *c.text);
            for (uint32_t i = 0; c.text && i < c.units; i++) {
                const char *h = word + 1 + 4 * i;
                c.text[i] = (jchar)(hex(h[0]) << 12 | hex(h[1]) << 8 | hex(h[2]) << 4 | hex(h[3]));
            }
            break;
        default: break;
    }
    return c;
}

static bool is_way(const char *word) { return *word == 't' || *word == 'r' || *word == 'x' || *word == 'a'; }

static struct ch_condition *condition_of(struct words *w, char *word) {
    struct ch_condition *c = made(w, 1, sizeof *c);
    if (!c || w->wrong || ++w->depth > DEEPEST) {
        w->wrong = true;
        return c;
    }
    c->op = word[0] && word[1] == '=' ? (char)(*word == '<' ? 'l' : *word == '>' ? 'g' : *word) : *word;
    if (c->op == '&' || c->op == '|') {
        c->first = condition_of(w, next_word(w));
        c->second = condition_of(w, next_word(w));
    } else {
        c->left = way_of(w, next_word(w));
        char *right = next_word(w);
        if (is_way(right)) {
            c->right = made(w, 1, sizeof *c->right);
            if (c->right) *c->right = way_of(w, right);
        } else {
            c->constant = constant_of(w, right);
        }
    }
    return c;
}

static bool is_about_the_end(const struct ch_condition *c) {
    if (!c) return false;
    if (c->first) return is_about_the_end(c->first) || is_about_the_end(c->second);
    return c->left.root < CH_ROOT_THIS || (c->right && c->right->root < CH_ROOT_THIS);
}

/* That of a rule; the same while rules are exchanged. With the lock held. */
static struct ch_limit *limit_of(struct words *w, const char *rule) {
    static uint32_t n;
    struct ch_limit *l = limits;
    while (l && strcmp(l->rule, rule)) l = l->next;
    if (l || n >= MOST_LIMITS || !(l = made(w, 1, sizeof *l))) {
        w->wrong |= !l;
        return l;
    }
    n++;
    strncpy(l->rule, rule, sizeof l->rule - 1);
    l->next = limits;
    return limits = l;
}

/* The first letters of the parameters' descriptors (JVMS 4.3.3), and that of the result. */
static void types_of(struct words *w, struct ch_watch *watch, const char *descriptor) {
    watch->types = made(w, strlen(descriptor) + 1, 1);
    const char *p = descriptor + 1;
    for (; watch->types && *p && *p != ')'; p++) {
        watch->types[watch->arguments++] = ch_type_letter(p);
        while (*p == '[') p++;
        if (*p == 'L' && !(p = strchr(p, ';'))) return;
    }
    if (*p) watch->result = ch_type_letter(p + 1);
}

static struct ch_watch *parse(const char *class_name, char **fields) {
    struct words w = {0};
    struct ch_watch *watch = calloc(1, sizeof *watch);
    char *rule = strtok_r(fields[6], " ", &w.rest);
    if (!watch || !rule) return NULL;
    watch->limit = limit_of(&w, rule);
    watch->over_ns = next_number(&w);
    watch->first = next_number(&w);
    watch->every_ns = next_number(&w);
    watch->slowest = (uint32_t)next_number(&w);
    watch->frames = (uint32_t)next_number(&w);
    watch->secret_exception = next_number(&w);
    watch->ways = (uint32_t)next_number(&w);
    if (watch->ways > 1000 || watch->slowest > MOST_SLOWEST) return NULL;
    if (watch->slowest && watch->limit && !watch->limit->slowest) watch->limit->slowest = made(&w, watch->slowest, sizeof *watch->limit->slowest);
    watch->way = made(&w, watch->ways, sizeof *watch->way);
    for (uint32_t i = 0; watch->way && i < watch->ways; i++) watch->way[i] = way_of(&w, next_word(&w));
    char *condition = next_word(&w);
    if (*condition != '-') watch->condition = condition_of(&w, condition);
    watch->at_end = is_about_the_end(watch->condition);
    types_of(&w, watch, fields[5]);
    watch->rule = strdup(fields[4]);
    watch->class_name = made(&w, strlen(class_name) + 3, 1);
    if (watch->class_name) {
        *watch->class_name = 'L';
        strcat(strcpy(watch->class_name + 1, class_name), ";");
        for (char *p = watch->class_name; *p; p++)
            if (*p == '.') *p = '/';
    }
    return w.wrong || !watch->rule ? NULL : watch; /* what was made of a damaged one stays: there is none that this agent wrote */
}

static const struct ch_watch *find(uint32_t slot) {
    char class_name[CH_CLASS_NAME], *fields[LINE_FIELDS];
    char *text = ch_probe_line(slot, 'l', class_name, fields, LINE_FIELDS);
    struct ch_watch *found = text ? parse(class_name, fields) : NULL;
    free(text);
    return found ? found : &nothing;
}

const struct ch_watch *ch_watch_of(uint32_t slot) {
    struct ch_region r;
    if (!ch_slots_there((jint)slot, 1)) return NULL;
    const struct ch_watch **all = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    const struct ch_watch *p = all ? __atomic_load_n(&all[slot], __ATOMIC_ACQUIRE) : NULL;
    if (p) return p == &nothing ? NULL : p;
    pthread_mutex_lock(&lock);
    if (!known && ch_region_memory(&r, ch_room.slots * sizeof *known)) __atomic_store_n(&known, (const struct ch_watch **)r.base, __ATOMIC_RELEASE);
    if (known && !known[slot]) __atomic_store_n(&known[slot], find(slot), __ATOMIC_RELEASE);
    p = known ? known[slot] : &nothing;
    pthread_mutex_unlock(&lock);
    return p == &nothing ? NULL : p;
}
