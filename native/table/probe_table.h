/* The probe table: what the slots of a class count. docs/reference/probe-table.md describes its records;
 * instrument/probes/records.py has the same in Python.
 *
 * This is the only reader in C. It returns typed records, one by one, and never looks beyond the table's end. Texts
 * point into the table and are still escaped.
 */
#ifndef CLASSHOOK_PROBE_TABLE_H
#define CLASSHOOK_PROBE_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ch_text {
    const char *at;
    size_t bytes;
};
struct ch_sha256 {
    unsigned char bytes[32];
};

enum ch_line_kind {
    CH_LINE_PROBE,
    CH_LINE_CLASS,
    CH_LINE_ORIGINAL,
    CH_LINE_RULE,
    CH_LINE_RULE_TEXT,
    CH_LINE_UNMATCHED,
    CH_LINE_SKIP,
    CH_LINE_MADE,
    CH_LINE_ALIKE,
    CH_LINE_KINDS
};

/* The probes that the agent handles itself. All others only count. */
enum ch_probe_kind {
    CH_PROBE_OTHER,
    CH_PROBE_TIME_TREE,
    CH_PROBE_TIME_SAMPLE,
    CH_PROBE_PROFILE,
    CH_PROBE_CONTEXT,
    CH_PROBE_COUNT_BY,
    CH_PROBE_TIME_BY,
    CH_PROBE_TIME_RESUMED_BY,
    CH_PROBE_WITHIN,
    CH_PROBE_COUNT_BELOW,
    CH_PROBE_TIME_BELOW,
    CH_PROBE_RESUMED_BELOW,
    CH_PROBE_VALUE,
    CH_PROBE_VALUE_BY,
    CH_PROBE_OBJECT,
    CH_PROBE_ARRAY,
    CH_PROBE_EVENT,
    CH_PROBE_WATCH,
    CH_PROBE_WATCH_LINE,
    CH_PROBE_WATCH_WRITE,
    CH_PROBE_KINDS
};

struct ch_probe {
    enum ch_probe_kind kind;
    uint32_t slot; /* its first one, relative to the class's first slot */
    int32_t rule; /* index; -1: supertypes decide */
    struct ch_text method, descriptor;
    union {
        struct {
            uint32_t sample; /* one activation of so many is timed */
        } paced; /* CH_PROBE_TIME_SAMPLE */
        struct {
            uint32_t period_us; /* 0: the agent chooses */
        } profile;
        struct {
            struct ch_text name, path;
        } context;
        struct {
            struct ch_text region; /* its name: native/timing/regions.c */
        } within; /* CH_PROBE_WITHIN, CH_PROBE_COUNT_BELOW, CH_PROBE_TIME_BELOW, CH_PROBE_RESUMED_BELOW */
        struct {
            struct ch_text parts; /* of the key: native/watch/keys.c */
            uint32_t top; /* so many keys have a slot of their own */
            struct ch_text path, of, by; /* for values only: to the number; it and the key, as the rule has them */
        /* CH_PROBE_COUNT_BY, CH_PROBE_TIME_BY, CH_PROBE_TIME_RESUMED_BY, CH_PROBE_VALUE (without parts),
         * CH_PROBE_VALUE_BY */
        } keyed;
        struct {
            uint32_t line, pc;
            struct ch_text undecided,
                type; /* undecided: indices of rules that match if the type has the right supertypes */
        } object; /* CH_PROBE_OBJECT, CH_PROBE_ARRAY */
        struct {
            struct ch_text entry, exit; /* numbers of handlers */
        } event;
        struct {
            struct ch_text limit; /* names the rule, whose probes share it */
            uint64_t over_ns, first, every_ns;
            uint32_t slowest, frames;
            bool secret_exception;
            struct ch_text paths, condition, names;
            uint32_t line, roots; /* only of CH_PROBE_WATCH_LINE; roots: objects that the line's code passes */
            struct ch_text owner, field, declared; /* only of CH_PROBE_WATCH_WRITE: instrument/probes/records.py */
        } watch; /* CH_PROBE_WATCH, CH_PROBE_WATCH_LINE, CH_PROBE_WATCH_WRITE */
    };
};

struct ch_line {
    enum ch_line_kind kind;
    struct ch_text text; /* all of it, without the line end */
    union {
        struct ch_probe probe;
        struct {
            struct ch_text name, source_file;
        } class;
        struct {
            struct ch_sha256 sha256;
            uint32_t bytes;
        } original;
        struct {
            int32_t rule;
            uint32_t methods;
        } rule;
        struct {
            struct ch_text text;
        } rule_text;
        struct {
            int32_t rule;
            struct ch_text method, descriptor, why;
        } unmatched;
        struct {
            struct ch_text method, descriptor, reason, detail;
        } skip;
        struct {
            struct ch_text method, descriptor;
            uint32_t flags, line;
        } made;
    };
};

/* ---- reading */
struct ch_probe_table {
    const char *at, *end;
    bool damaged; /* or of another version; then there are no more records */
};
struct ch_probe_table ch_probe_table_of(const char *text, size_t bytes); /* no bytes: a table without records */
bool ch_probe_table_next(struct ch_probe_table *t, struct ch_line *out);
bool ch_probe_table_next_probe(struct ch_probe_table *t, struct ch_probe *out);
bool ch_probe_table_is_valid(const char *text, size_t bytes); /* all its records can be read */
/* the first record of this kind */
bool ch_probe_table_has(const char *text, size_t bytes, enum ch_line_kind kind, struct ch_line *out);

/* ---- texts */
char *ch_text_copy(struct ch_text text); /* without escapes; malloc'ed */
bool ch_text_number(struct ch_text *list, uint32_t *number); /* takes the next number of a list; false: there is none */
static inline struct ch_text ch_text_of(const char *from) { return (struct ch_text){from, strlen(from)}; }

/* ---- writing records whose fields are texts, which are given without escapes. All others are written by Python
 * only. */
struct ch_probe_table_writer {
    char *to;
    size_t room, bytes;
    bool full; /* there was no room for a record */
};
struct ch_probe_table_writer ch_probe_table_begin(char *to, size_t room);
/* adds records to a table */
struct ch_probe_table_writer ch_probe_table_extend(char *table, size_t bytes, size_t room);
void ch_probe_table_write(struct ch_probe_table_writer *w, const struct ch_line *r);

/* ---- slots.c: of the classes that are woven. Texts stay as they are. */
/* false: no such probe begins there */
bool ch_probe_of(uint32_t slot, enum ch_probe_kind kind, struct ch_text *class_name, struct ch_probe *out);
#endif
