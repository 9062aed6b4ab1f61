#include "probe_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../classhook.h"
#include "number.h"

/* ---- kinds and their fields, in the order of the line */

enum type { END, TEXT, UINT32, INT32, UINT64, BOOLEAN, SHA256 };
enum { MOST_FIELDS = 16 };
#define HEAD "probe-table"

struct field {
    const char *name;
    enum type type;
    size_t at;
};
struct kind {
    const char *word;
    struct field fields[MOST_FIELDS];
};

#define TYPE(x) \
    _Generic((x), \
        struct ch_text: TEXT, \
        uint32_t: UINT32, \
        int32_t: INT32, \
        uint64_t: UINT64, \
        bool: BOOLEAN, \
        struct ch_sha256: SHA256)
#define FIELD(group, member) \
    {#member, TYPE(((struct ch_line *)0)->group.member), offsetof(struct ch_line, group.member)}

static const struct kind line_kinds[CH_LINE_KINDS] = {CH_LINE_ROWS};
/* The fields that follow those of each probe. */
static const struct kind probe_kinds[CH_PROBE_KINDS] = {CH_PROBE_ROWS};

/* ---- fields of a line */

static struct ch_text cut(struct ch_text *rest, char separator) {
    const char *stop = rest->at ? memchr(rest->at, separator, rest->bytes) : NULL;
    struct ch_text first = {rest->at, stop ? (size_t)(stop - rest->at) : rest->bytes};
    *rest = stop ? (struct ch_text){stop + 1, rest->bytes - first.bytes - 1}
                 : (struct ch_text){NULL, 0}; /* NULL: there are no more */
    return first;
}

static bool is(struct ch_text text, const char *word) {
    return text.at && strlen(word) == text.bytes && !memcmp(text.at, word, text.bytes);
}

static bool read_number(struct ch_text text, uint64_t most, uint64_t *out) {
    return text.at && ch_read_number(text.at, text.bytes, most, out);
}

static int digit_of(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

static bool read_sha256(struct ch_text text, struct ch_sha256 *out) {
    if (text.bytes != 2 * sizeof out->bytes) return false;
    for (size_t i = 0; i < text.bytes; i += 2) {
        int high = digit_of(text.at[i]), low = digit_of(text.at[i + 1]);
        if (high < 0 || low < 0) return false;
        out->bytes[i / 2] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static bool read_field(enum type type, struct ch_text text, void *to) {
    uint64_t n = 0;
    bool minus = type == INT32 && text.bytes && *text.at == '-';
    switch (type) {
    case TEXT: *(struct ch_text *)to = text; return true;
    case UINT32:
        if (!read_number(text, UINT32_MAX, &n)) return false;
        *(uint32_t *)to = (uint32_t)n;
        return true;
    case INT32:
        if (!read_number((struct ch_text){text.at + minus, text.bytes - minus}, INT32_MAX, &n)) return false;
        *(int32_t *)to = minus ? -(int32_t)n : (int32_t)n;
        return true;
    case UINT64: return read_number(text, UINT64_MAX, to);
    case BOOLEAN:
        if (!read_number(text, 1, &n)) return false;
        *(bool *)to = n;
        return true;
    case SHA256: return read_sha256(text, to);
    case END: break;
    }
    return false;
}

static bool read_fields(const struct kind *kind, struct ch_text *rest, struct ch_line *out) {
    for (const struct field *f = kind->fields; f->type; f++)
        if (!rest->at || !read_field(f->type, cut(rest, '\t'), (char *)out + f->at)) return false;
    return true;
}

static bool read_line(struct ch_text line, struct ch_line *out) {
    struct ch_text rest = line, word = cut(&rest, '\t');
    *out = (struct ch_line){.kind = 0, .text = line};
    while (!is(word, line_kinds[out->kind].word))
        if (++out->kind == CH_LINE_KINDS) return false;
    if (out->kind != CH_LINE_PROBE) return read_fields(&line_kinds[out->kind], &rest, out) && !rest.at;
    word = cut(&rest, '\t');
    enum ch_probe_kind kind = CH_PROBE_KINDS - 1;
    while (kind != CH_PROBE_OTHER && !is(word, probe_kinds[kind].word)) kind--;
    out->probe.kind = kind;
    if (!word.bytes || !read_fields(&line_kinds[CH_LINE_PROBE], &rest, out)) return false;
    return kind == CH_PROBE_OTHER || (read_fields(&probe_kinds[kind], &rest, out) && !rest.at);
}

/* ---- reading */

static bool begins_well(struct ch_text line) {
    uint64_t format;
    struct ch_text word = cut(&line, '\t');
    return is(word, HEAD) && line.at && read_number(line, UINT32_MAX, &format) && format == CH_PROBE_TABLE_FORMAT;
}

struct ch_probe_table ch_probe_table_of(const char *text, size_t bytes) {
    struct ch_text rest = {bytes ? text : NULL, bytes};
    bool well = !bytes || begins_well(cut(&rest, '\n'));
    return (struct ch_probe_table){well ? rest.at : NULL, well && rest.at ? rest.at + rest.bytes : NULL, !well};
}

bool ch_probe_table_next(struct ch_probe_table *t, struct ch_line *out) {
    if (!t->at) return false;
    struct ch_text rest = {t->at, (size_t)(t->end - t->at)}, line = cut(&rest, '\n');
    t->damaged = !read_line(line, out);
    t->at = t->damaged ? NULL : rest.at;
    return !t->damaged;
}

bool ch_probe_table_next_probe(struct ch_probe_table *t, struct ch_probe *out) {
    struct ch_line line;
    while (ch_probe_table_next(t, &line)) {
        if (line.kind != CH_LINE_PROBE) continue;
        *out = line.probe;
        return true;
    }
    return false;
}

bool ch_probe_table_is_valid(const char *text, size_t bytes) {
    struct ch_probe_table t = ch_probe_table_of(text, bytes);
    struct ch_line r;
    while (ch_probe_table_next(&t, &r)) {}
    return !t.damaged;
}

bool ch_probe_table_has(const char *text, size_t bytes, enum ch_line_kind kind, struct ch_line *out) {
    struct ch_probe_table t = ch_probe_table_of(text, bytes);
    while (ch_probe_table_next(&t, out))
        if (out->kind == kind) return true;
    return false;
}

bool ch_probe_table_has_probe(const char *text, size_t bytes, enum ch_probe_kind kind) {
    struct ch_probe_table t = ch_probe_table_of(text, bytes);
    struct ch_probe p;
    while (ch_probe_table_next_probe(&t, &p))
        if (p.kind == kind) return true;
    return false;
}

/* ---- texts: rules/escapes.py */

static const char escaped[] = "\\\t\n\r", letters[] = "\\tnr";

char *ch_text_copy(struct ch_text text) {
    char *copy = malloc(text.bytes + 1), *to = copy;
    if (!copy) return NULL;
    for (size_t i = 0; i < text.bytes; i++) {
        bool begins = text.at[i] == '\\' && i + 1 < text.bytes && text.at[i + 1];
        const char *letter = begins ? strchr(letters, text.at[i + 1]) : NULL;
        *to++ = letter ? escaped[letter - letters] : text.at[i];
        i += letter != NULL;
    }
    *to = 0;
    return copy;
}

bool ch_text_number(struct ch_text *list, uint32_t *number) {
    uint64_t n;
    struct ch_text word = cut(list, ' ');
    if (!read_number(word, UINT32_MAX, &n)) return false;
    *number = (uint32_t)n;
    return true;
}

/* ---- writing */

static void put(struct ch_probe_table_writer *w, const char *from, size_t bytes) {
    w->full |= bytes > w->room - w->bytes;
    if (w->full) return;
    memcpy(w->to + w->bytes, from, bytes);
    w->bytes += bytes;
}

struct ch_probe_table_writer ch_probe_table_begin(char *to, size_t room) {
    struct ch_probe_table_writer w = {to, room, 0, false};
    char head[32];
    put(&w, head, (size_t)snprintf(head, sizeof head, "%s\t%d", HEAD, CH_PROBE_TABLE_FORMAT));
    return w;
}

struct ch_probe_table_writer ch_probe_table_extend(char *table, size_t bytes, size_t room) {
    return (struct ch_probe_table_writer){table, room, bytes, false};
}

static void put_text(struct ch_probe_table_writer *w, struct ch_text text) {
    for (size_t i = 0; i < text.bytes; i++) {
        const char *special = text.at[i] ? strchr(escaped, text.at[i]) : NULL;
        if (special)
            put(w, (char[]){'\\', letters[special - escaped]}, 2);
        else
            put(w, &text.at[i], 1);
    }
}

void ch_probe_table_write(struct ch_probe_table_writer *w, const struct ch_line *r) {
    size_t before = w->bytes;
    const struct kind *kind = &line_kinds[r->kind];
    put(w, "\n", 1);
    put(w, kind->word, strlen(kind->word));
    for (const struct field *f = kind->fields; f->type == TEXT; f++) {
        put(w, "\t", 1);
        put_text(w, *(const struct ch_text *)((const char *)r + f->at));
    }
    if (w->full) w->bytes = before; /* half a record would be a damaged one */
}
