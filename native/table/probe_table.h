/* The probe table: what the slots of a class count. docs/reference/probe-table.md describes its records. Their structs
 * are in probe_records.h, which the build makes from native/building/probe_records/table.py.
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

#include "probe_records.h"

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

bool ch_probe_table_has_probe(const char *text, size_t bytes, enum ch_probe_kind kind);

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
/* A set of kinds of probes: CH_KIND(VALUE) | CH_KIND(VALUE_BY). */
#define CH_KIND(kind) ((uint64_t)1 << CH_PROBE_##kind)
_Static_assert(CH_PROBE_KINDS <= 64, "a set has room for all kinds");
/* false: no probe of these kinds begins there */
bool ch_probe_of(uint32_t slot, uint64_t kinds, struct ch_text *class_name, struct ch_probe *out);
#endif
