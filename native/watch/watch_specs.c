/* The requests of rules `watch`, by the slots of their probes: from the probe table, when a probe runs for the first
 * time.
 *
 * Its fields `paths` and `condition` are words with blanks between them (instrument/measures/watch/insertion.py). A
 * path is a root, `t`, `r`, `x`, `h`, `e`, `a` and a number, or `S` and the class of a static field; then fields, each
 * behind a dot, and elements, `.[i2` or `.[s` and a key; `*` in front: its value is a secret. A condition has operators
 * in front, and so has what is calculated, `- a1 i2`; of calls that give a number, `paths` is that. A constant is `n`, or `b`, `i`, `d`, `s` and its value; that of a string
 * is in hexadecimal UTF-16, as are keys. A pattern is a string in which FFFF stands for any characters. A type is a
 * class's internal name.
 */
#include "rule_specs.h"
#include "watch.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 256, MOST_LIMITS = 10000, MOST_SLOWEST = 1000, MOST_ROOTS = 255 };

static struct ch_limit *limits;

struct words {
    char *rest;
    int depth;
    bool wrong;
};

static char *next_word(struct words *w) {
    static char empty[1];
    char *word = strtok_r(NULL, " ", &w->rest);
    if (!word) w->wrong = true;
    return word ? word : empty;
}

static void *made(struct words *w, size_t n, size_t bytes) {
    void *p = calloc(n ? n : 1, bytes);
    if (!p) w->wrong = true;
    return p;
}

static unsigned hex(char c) { return (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10) & 15; }

/* The UTF-16 units of a text in hexadecimal digits. */
static jchar *units_of(struct words *w, const char *digits, uint32_t *n) {
    *n = (uint32_t)(strlen(digits) / 4);
    jchar *text = made(w, *n, sizeof *text);
    for (uint32_t i = 0; text && i < *n; i++) {
        const char *h = digits + 4 * i;
        text[i] = (jchar)(hex(h[0]) << 12 | hex(h[1]) << 8 | hex(h[2]) << 4 | hex(h[3]));
    }
    return text;
}

/* The word is cut in place, and stays. */
static void step_of(struct words *w, struct ch_step *step, const char *word) {
    step->name = word;
    if (*word != '[') return;
    step->key = word[1];
    if (step->key == CH_KEY_NUMBER)
        step->index = strtoll(word + 2, NULL, 10);
    else
        step->text = units_of(w, word + 2, &step->units);
}

static int root_of(struct words *w, struct ch_way *way, const char *name) {
    switch (*name) {
    case 't': return CH_ROOT_THIS;
    case 'r': return CH_ROOT_RESULT;
    case 'x': return CH_ROOT_EXCEPTION;
    case 'h': return CH_ROOT_THREAD;
    case 'e': return CH_ROOT_ELEMENT;
    case 'S':
        if ((way->owner = made(w, 1, sizeof *way->owner))) way->owner->name = name + 1;
        return CH_ROOT_STATIC;
    default: return atoi(name + 1);
    }
}

/* The word is copied; the copy stays. */
static struct ch_way way_of(struct words *w, const char *word) {
    struct ch_way way = {.masked = *word == '*'};
    char *name = strdup(word + way.masked), *at = name;
    if (!name) {
        w->wrong = true;
        return way;
    }
    way.root = root_of(w, &way, name);
    for (const char *p = name; *p; p++) way.steps += *p == '.';
    way.words = name;
    way.step = made(w, way.steps, sizeof *way.step);
    if (!way.step) return way;
    for (uint32_t i = 0; i < way.steps && (at = strchr(at, '.')); i++) {
        *at++ = 0;
        way.step[i].name = at;
    }
    for (uint32_t i = 0; i < way.steps; i++) step_of(w, &way.step[i], way.step[i].name);
    if (way.root == CH_ROOT_EXCEPTION && way.steps) way.step[0].name = "detailMessage"; /* of Throwable */
    return way;
}

struct ch_way *ch_way_read(const char *path) {
    struct words w = {0};
    struct ch_way *way = made(&w, 1, sizeof *way);
    char *word = strdup(path);
    if (way && word) *way = way_of(&w, word);
    free(word);
    return w.wrong || !word ? NULL : way;
}

static struct ch_constant constant_of(struct words *w, const char *word) {
    struct ch_constant c = {.kind = CH_VALUE_NULL};
    switch (*word) {
    case 'b':
        c.kind = CH_VALUE_BOOLEAN;
        c.number = word[1] == '1';
        break;
    case 'i':
        c.kind = CH_VALUE_INT;
        c.number = strtoll(word + 1, NULL, 10);
        break;
    case 'd':
        c.kind = CH_VALUE_DOUBLE;
        c.real = strtod(word + 1, NULL);
        break;
    case 's':
        c.kind = CH_VALUE_STRING;
        c.text = units_of(w, word + 1, &c.units);
        break;
    default: break;
    }
    return c;
}

static struct ch_operand operand_of(struct words *w, const char *word) {
    struct ch_operand o = {0};
    if (*word && strchr("trxaheS", *word)) {
        o.way = way_of(w, word);
    } else if (*word && strchr("+-*/%", *word)) {
        if (++w->depth > DEEPEST) w->wrong = true;
        o.first = made(w, 1, sizeof *o.first);
        o.second = made(w, 1, sizeof *o.second);
        if (w->wrong) return o;
        o.op = *word;
        *o.first = operand_of(w, next_word(w));
        *o.second = operand_of(w, next_word(w));
    } else {
        o.op = CH_OPERAND_CONSTANT;
        o.constant = constant_of(w, word);
    }
    return o;
}

struct ch_operand *ch_operand_read(const char *text) {
    char *copy = strdup(text);
    struct words w = {.rest = copy};
    struct ch_operand *o = made(&w, 1, sizeof *o);
    if (copy && o) *o = operand_of(&w, next_word(&w));
    free(copy);
    return w.wrong || !copy ? NULL : o;
}

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
    } else if (c->op == 'E' || c->op == 'A') {
        c->left = operand_of(w, next_word(w));
        c->each.key = CH_KEY_EACH;
        c->first = condition_of(w, next_word(w));
    } else {
        c->left = operand_of(w, next_word(w));
        char *right = next_word(w);
        if (c->op != 't' && c->op != 'T')
            c->right = operand_of(w, right);
        else if (!(c->type.name = strdup(right)))
            w->wrong = true;
    }
    return c;
}

static bool is_at_end(int root) { return root == CH_ROOT_RESULT || root == CH_ROOT_EXCEPTION; }

static bool is_about_the_end(const struct ch_condition *c) {
    if (!c) return false;
    if (is_about_the_end(c->first) || is_about_the_end(c->second)) return true;
    return ch_operand_has_root(&c->left, is_at_end) || ch_operand_has_root(&c->right, is_at_end);
}

/* The limit of a rule; the same while rules are exchanged. One reader at a time (rule_specs.c). */
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

/* `L`, the name with slashes, `;`. */
static char *signature_of(struct words *w, const char *class_name) {
    char *signature = made(w, strlen(class_name) + 3, 1);
    if (!signature) return NULL;
    *signature = 'L';
    strcat(strcpy(signature + 1, class_name), ";");
    for (char *p = signature; *p; p++)
        if (*p == '.') *p = '/';
    return signature;
}

static void take_field(struct words *w, struct ch_watch *watch, const struct ch_probe *p) {
    char *owner = ch_text_copy(p->watch.owner), *declared = ch_text_copy(p->watch.declared);
    watch->field = ch_text_copy(p->watch.field);
    w->wrong |= !owner || !declared || !watch->field;
    if (owner) watch->class_name = signature_of(w, owner);
    if (declared && *declared) watch->declared = signature_of(w, declared);
    free(owner);
    free(declared);
}

static void read_paths(struct words *w, struct ch_watch *watch, char *paths) {
    watch->ways = *paths != 0;
    for (const char *p = paths; *p; p++) watch->ways += *p == ' ';
    watch->way = made(w, watch->ways, sizeof *watch->way);
    w->rest = paths;
    for (uint32_t i = 0; watch->way && i < watch->ways; i++) watch->way[i] = way_of(w, next_word(w));
}

/* A line's code passes so many objects, of whatever class. */
static void take_roots(struct words *w, struct ch_watch *watch, uint32_t roots) {
    watch->types = made(w, roots + 1, 1);
    if (!watch->types) return;
    memset(watch->types, 'L', roots);
    watch->arguments = roots;
    watch->result = 'V';
}

static bool read_spec(struct ch_watch *watch, const struct ch_probe *p, const char *class_name, const char *descriptor,
                      char *paths, char *condition) {
    struct words w = {0};
    char *limit = ch_text_copy(p->watch.limit);
    if (!limit || p->watch.slowest > MOST_SLOWEST || p->watch.roots > MOST_ROOTS) w.wrong = true;
    if (!w.wrong) watch->limit = limit_of(&w, limit);
    if (watch->slowest && watch->limit && !watch->limit->slowest)
        watch->limit->slowest = made(&w, watch->slowest, sizeof *watch->limit->slowest);
    if (watch->what == CH_CALLS_VALUED) {
        w.rest = paths;
        watch->number = operand_of(&w, next_word(&w));
    } else {
        read_paths(&w, watch, paths);
    }
    w.rest = condition;
    if (*condition) watch->condition = condition_of(&w, next_word(&w));
    watch->at_end = is_about_the_end(watch->condition);
    watch->at_begin = !watch->at_end && !watch->over_ns &&
                      (watch->what == CH_CALLS_COUNTED ||
                       (watch->what == CH_CALLS_VALUED && !ch_operand_has_root(&watch->number, is_at_end)));
    if (p->kind == CH_PROBE_WATCH || watch->what != CH_CALLS_SHOWN)
        types_of(&w, watch, descriptor);
    else
        take_roots(&w, watch, p->watch.roots);
    if (p->kind == CH_PROBE_WATCH_WRITE)
        take_field(&w, watch, p);
    else
        watch->class_name = signature_of(&w, class_name);
    free(limit);
    return !w.wrong && watch->rule; /* what was made of a damaged one stays: there is none that this agent wrote */
}

/* The use of calls that the condition is true of, by the kind of probe; those of all other kinds are shown. */
static const uint8_t happens[CH_PROBE_KINDS] = {[CH_PROBE_COUNT_WHEN] = CH_CALLS_COUNTED,
                                                [CH_PROBE_TIME_WHEN] = CH_CALLS_TIMED,
                                                [CH_PROBE_VALUE_WHEN] = CH_CALLS_VALUED,
                                                [CH_PROBE_CONTEXT_WHEN] = CH_CALLS_ASKED};

static void *read_watch(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    const uint64_t kinds = CH_KIND(WATCH) | CH_KIND(WATCH_LINE) | CH_KIND(WATCH_WRITE) | CH_KIND(COUNT_WHEN) |
                           CH_KIND(TIME_WHEN) | CH_KIND(VALUE_WHEN) | CH_KIND(CONTEXT_WHEN);
    if (!ch_probe_of(slot, kinds, &class_name, &p)) return NULL;
    struct ch_watch *watch = calloc(1, sizeof *watch);
    char *texts[] = {ch_text_copy(class_name), ch_text_copy(p.descriptor), ch_text_copy(p.watch.paths),
                     ch_text_copy(p.watch.condition)};
    bool well = watch && texts[0] && texts[1] && texts[2] && texts[3];
    if (well) {
        *watch = (struct ch_watch){.over_ns = p.watch.over_ns,
                                   .first = p.watch.first,
                                   .every_ns = p.watch.every_ns,
                                   .slowest = p.watch.slowest,
                                   .frames = p.watch.frames,
                                   .secret_exception = p.watch.secret_exception,
                                   .what = happens[p.kind],
                                   .rule = ch_text_copy(p.method)};
        well = read_spec(watch, &p, texts[0], texts[1], texts[2], texts[3]);
    } else {
        free(watch);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    if (!well) ch_no_memory(); /* the agent has written the record, so it is not wrong */
    return well ? watch : NULL;
}

static struct ch_specs specs = {.slots = 1, .read = read_watch};

const struct ch_watch *ch_watch_of(uint32_t slot) { return ch_spec_of(&specs, NULL, (jint)slot); }
