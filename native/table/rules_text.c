#include "rules_text.h"
#include <string.h>
#include "number.h"

static const char *const words[CH_RULES_KINDS] = {
    [CH_RULES_HEAD] = "classhook-rules",
    [CH_RULES_FILTER] = "filter",
    [CH_RULES_CHANGED] = "changed",
    [CH_RULES_SUPERTYPE] = "supertype",
    [CH_RULES_SAMPLER] = "sampler",
    [CH_RULES_RULE] = "rule",
    [CH_RULES_TARGET] = "target",
    [CH_RULES_EXCEPT] = "except",
    [CH_RULES_TYPE] = "type",
    [CH_RULES_CALLED] = "called",
    [CH_RULES_SOURCE] = "source",
    [CH_RULES_PAUSED] = "paused",
    [CH_RULES_END] = "end",
};

/* A word that sets a flag, and `name=number`, which sets a field. */
struct flag {
    const char *word;
    size_t at;
};
struct number {
    const char *name;
    enum { BITS_64 /* an interval */, BITS_32 /* a depth */, BOOLEAN } type;
    size_t at;
};

#define LINE(member) offsetof(struct ch_rules_line, member)
#define NUMBER(member) \
    _Generic(((struct ch_samplers *)0)->member, uint64_t: BITS_64, uint32_t: BITS_32, bool: BOOLEAN), \
        offsetof(struct ch_samplers, member)

static const struct flag filter_flags[] = {
    {"time", LINE(filter.needs.time)},       {"cover", LINE(filter.needs.cover)}, {"watch", LINE(filter.needs.watch)},
    {"context", LINE(filter.needs.context)}, {"subtypes", LINE(filter.subtypes)}, {"jdk", LINE(filter.only_jdk)},
    {"not-jdk", LINE(filter.not_jdk)},       {"renamed", LINE(filter.renamed)},   {NULL, 0}};
static const struct flag supertype_flags[] = {
    {"weaves", LINE(supertype.weaves)}, {"reports", LINE(supertype.reports)}, {NULL, 0}};

static const struct sampler {
    const char *word;
    struct number fields[5]; /* one is none */
} samplers[] = {
    {"cpu",
     {{"period_us", NUMBER(cpu.period_us)},
      {"frames", NUMBER(cpu.frames)},
      {"lines", NUMBER(cpu.lines)},
      {"threads", NUMBER(cpu.threads)}}},
    {"locks",
     {{"over_us", NUMBER(locks.over_us)},
      {"frames", NUMBER(locks.frames)},
      {"parks", NUMBER(locks.parks)},
      {"threads", NUMBER(locks.threads)}}},
    {"objects",
     {{"every_bytes", NUMBER(objects.every_bytes)},
      {"frames", NUMBER(objects.frames)},
      {"live", NUMBER(objects.live)},
      {"threads", NUMBER(objects.threads)}}},
    {"trees", {{"threads", NUMBER(trees.threads)}}},
    {"tests", {{"contexts", NUMBER(tests.contexts)}}},
    {"labels", {{"threads", NUMBER(labels.threads)}}},
};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

static char *cut(char **rest, char separator) {
    char *first = *rest, *stop = first ? strchr(first, separator) : NULL;
    if (stop) *stop = 0;
    *rest = stop ? stop + 1 : NULL;
    return first;
}

char *ch_rules_field(char **further) { return cut(further, '\t'); }

/* Words with blanks between them. */
static bool set_flags(char *given, const struct flag *flags, struct ch_rules_line *out) {
    for (char *word; (word = cut(&given, ' '));) {
        const struct flag *f = flags;
        while (f->word && strcmp(f->word, word)) f++;
        if (!f->word) return !*word && !given; /* no words at all */
        *((bool *)((char *)out + f->at)) = true;
    }
    return true;
}

/* `again`: a rule before asked for this sampler, too. Of several, the shortest interval and the deepest stack are
 * taken, and what any wants. */
static bool read_number(const char *text, const struct number *n, struct ch_samplers *out, bool again) {
    uint64_t value, most = n->type == BITS_64 ? UINT64_MAX : n->type == BITS_32 ? UINT32_MAX : 1;
    char *to = (char *)out + n->at;
    if (!ch_read_number(text, strlen(text), most, &value)) return false;
    if (n->type == BITS_64) {
        uint64_t *interval = (uint64_t *)(void *)to;
        *interval = again && *interval < value ? *interval : value;
    } else if (n->type == BITS_32) {
        uint32_t *depth = (uint32_t *)(void *)to;
        *depth = *depth > value ? *depth : (uint32_t)value;
    } else {
        *(bool *)to |= value;
    }
    return true;
}

/* `sampler<TAB>cpu<TAB>period_us=10000<TAB>frames=1024`: all fields, in this order. */
static bool read_sampler(char *fields, struct ch_rules_text *out) {
    char *word = cut(&fields, '\t');
    int which = 0;
    while (which < SAMPLERS && (!word || strcmp(word, samplers[which].word))) which++;
    if (which == SAMPLERS) return false;
    for (const struct number *n = samplers[which].fields; n->name; n++) {
        char *value = cut(&fields, '\t'), *name = cut(&value, '=');
        if (!name || !value || strcmp(name, n->name) || !read_number(value, n, &out->samplers, out->asked >> which & 1))
            return false;
    }
    out->asked |= 1u << which;
    return !fields;
}

static bool read_line(char *line, struct ch_rules_line *out, struct ch_rules_text *t) {
    *out = (struct ch_rules_line){.kind = ch_rules_kind_of(line, line + strlen(line))};
    char *rest = line;
    cut(&rest, '\t');
    switch (out->kind) {
    case CH_RULES_FILTER:
    case CH_RULES_CHANGED:
        if (!rest || !set_flags(cut(&rest, '\t'), filter_flags, out)) return false;
        out->filter.include = cut(&rest, '\t');
        out->filter.further = rest;
        return out->filter.include;
    case CH_RULES_SUPERTYPE:
        if (!rest || !set_flags(cut(&rest, '\t'), supertype_flags, out)) return false;
        out->supertype.glob = cut(&rest, '\t');
        return out->supertype.glob && !rest;
    case CH_RULES_SAMPLER: return read_sampler(rest, t);
    default: return true;
    }
}

struct ch_rules_text ch_rules_text_of(char *text) { return (struct ch_rules_text){.rest = text}; }

bool ch_rules_next(struct ch_rules_text *t, struct ch_rules_line *out) {
    if (!t->rest || !*t->rest) return false;
    t->damaged = !read_line(cut(&t->rest, '\n'), out, t);
    if (t->damaged) t->rest = NULL;
    return !t->damaged;
}

enum ch_rules_kind ch_rules_kind_of(const char *at, const char *end) {
    size_t bytes = 0;
    while (at + bytes < end && at[bytes] != '\t' && at[bytes] != '\n') bytes++;
    for (enum ch_rules_kind kind = CH_RULES_KINDS - 1; kind > CH_RULES_HEAD; kind--)
        if (strlen(words[kind]) == bytes && !memcmp(words[kind], at, bytes)) return kind;
    return CH_RULES_HEAD;
}

bool ch_rules_have(const char *text, const char *rule) {
    size_t n = strlen(rule);
    for (const char *line = text, *stop; *line; line = *stop ? stop + 1 : stop) {
        stop = line + strcspn(line, "\n");
        if (ch_rules_kind_of(line, stop) == CH_RULES_RULE && (size_t)(stop - line) > n &&
            stop[-1 - (ptrdiff_t)n] == '\t' && !memcmp(stop - n, rule, n))
            return true;
    }
    return false;
}
