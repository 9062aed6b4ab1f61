/* The agent's options: rules=FILE,data=DIR,... ; a comma, blank or percent sign in a value is written %XX. */
#include "options.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "table/number.h"

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *decoded(const char *from, const char *end) {
    char *out = malloc((size_t)(end - from) + 1), *to = out;
    if (!out) return NULL;
    while (from < end) {
        if (*from == '%' && end - from > 2 && hex(from[1]) >= 0 && hex(from[2]) >= 0) {
            *to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
            from += 3;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
    return out;
}

/* A further script follows in a line of its own. */
static char *further(char *before, char *value) {
    size_t n = before && value ? strlen(before) : 0, more = value ? strlen(value) + 1 : 0;
    char *both = n ? realloc(before, n + 1 + more) : NULL;
    if (!both) {
        free(before);
        return value;
    }
    both[n] = '\n';
    memcpy(both + n + 1, value, more);
    free(value);
    return both;
}

static const struct number {
    const char *name, *unit;
    size_t at;
} numbers[] = {{"timeout", "milliseconds", offsetof(struct ch_options, timeout_ms)},
               {"atmost", "microseconds", offsetof(struct ch_options, at_most_us)}};

static const struct number *number_of(const char *name, size_t bytes) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == bytes && !strncmp(name, numbers[i].name, bytes)) return &numbers[i];
    return NULL;
}

static bool no_memory(struct ch_error *error) {
    return ch_fail(error, "no memory for the agent's options; this JVM is not instrumented");
}

bool ch_options_parse(const char *text, struct ch_options *out, struct ch_error *error) {
    const struct {
        const char *name;
        char **value;
    } known[] = {
        {"rules", &out->rules},         {"data", &out->data},
        {"cache", &out->cache},         {"pythonpath", &out->pythonpath},
        {"libpython", &out->libpython}, {"do", &out->action},
        {"answer", &out->answer},       {"tmpfs", &out->tmpfs},
        {"control", &out->control},     {"script", &out->script},
        {"heapdump", &out->heap_dump},  {"hprof", &out->hprof},
        {"hprofend", &out->hprof_end},  {"run", &out->run},
        {"labels", &out->labels},       {"now", &out->now},
        {"heapend", &out->heap_end},    {"follow", &out->follow},
    };
    out->timeout_ms = 10000;
    for (const char *at = text ? text : ""; *at;) {
        const char *end = at + strcspn(at, ","), *equals = memchr(at, '=', (size_t)(end - at));
        size_t name = (size_t)((equals ? equals : end) - at), i, n = sizeof known / sizeof *known;
        const struct number *number = equals ? number_of(at, name) : NULL;
        if (number) {
            if (!ch_read_number(equals + 1, (size_t)(end - equals - 1), UINT64_MAX,
                                (uint64_t *)(void *)((char *)out + number->at)))
                return ch_fail(error, "the agent option \"%.*s\" needs a number of %s; this JVM is not instrumented",
                               (int)(end - at), at, number->unit);
        } else if (name || equals) {
            for (i = 0; i < n && (strlen(known[i].name) != name || strncmp(at, known[i].name, name)); i++) {}
            if (i == n || !equals)
                return ch_fail(error,
                               "unknown agent option \"%.*s\"; known are rules=FILE, data=DIR, cache=DIR, timeout=MS, "
                               "script=FILE, run=NAME, labels=TEXT, "
                               "pythonpath=PATH, libpython=FILE; this JVM is not instrumented",
                               (int)(end - at), at);
            char *value = decoded(equals + 1, end);
            if (!value) return no_memory(error);
            if (known[i].value != &out->script) free(*known[i].value);
            *known[i].value = known[i].value == &out->script ? further(out->script, value) : value;
        }
        at = *end ? end + 1 : end;
    }
    if (!out->data) out->data = strdup("classhook-data");
    return out->data || no_memory(error);
}

void ch_options_free(struct ch_options *o) {
    char *all[] = {o->rules, o->data,    o->cache,  o->pythonpath, o->libpython, o->action,    o->answer,
                   o->tmpfs, o->control, o->script, o->heap_dump,  o->hprof,     o->hprof_end, o->rules_text,
                   o->run,   o->labels,  o->now,    o->heap_end,   o->follow};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}
