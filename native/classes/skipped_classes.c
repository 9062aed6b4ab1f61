/* Records classes that are not instrumented, with the reason, for the report. */
#include "classes.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

bool ch_skips_once;

bool ch_was_said(const void *text, size_t bytes) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ch_keys said;
    struct ch_key key = ch_hash_own((struct ch_key){0, 0}, text, bytes);
    pthread_mutex_lock(&lock);
    bool before = ch_table_find_key(&said, &key);
    if (!before) ch_keys_add(&said, key);
    pthread_mutex_unlock(&lock);
    return before;
}

enum { NAME = 1024, TEXT = 4 * NAME + 200 };

/* The record's text; its length. */
static size_t text_of(char text[TEXT], const char *name, const char *reason, const char *detail) {
    char class_name[NAME], why[NAME];
    snprintf(class_name, sizeof class_name, "%s", name); /* an internal name: the reader makes a binary one of it */
    snprintf(why, sizeof why, "%s", detail);
    struct ch_probe_table_writer w = ch_probe_table_begin(text, TEXT);
    ch_probe_table_write(&w, &(struct ch_line){.kind = CH_LINE_CLASS, .class = {.name = ch_text_of(class_name)}});
    ch_probe_table_write(
        &w, &(struct ch_line){.kind = CH_LINE_SKIP, .skip = {.reason = ch_text_of(reason), .detail = ch_text_of(why)}});
    return w.bytes;
}

/* False: it is recorded already. */
static bool record(const char *name, const char *reason, const char *detail) {
    char text[TEXT];
    size_t bytes = text_of(text, name, reason, detail);
    struct ch_alike alike = ch_alike_find(name, text, bytes, (struct ch_key){0, 0});
    if (alike.shares || ch_was_said(text, bytes)) return false;
    ch_alike_describe(&alike, CH_META_SKIP, 0, 0);
    return true;
}

struct ch_meta *ch_skip_for_now(const char *name, const char *reason, const char *detail) {
    char text[TEXT];
    size_t bytes = text_of(text, name, reason, detail);
    return ch_meta_add(CH_META_SKIP, 0, 0, text, bytes);
}

void ch_skip(const char *name, const char *reason, const char *detail) { record(name, reason, detail); }

/* A class that a rule matches is not instrumented. */
void ch_skip_matched(const char *name, const char *reason, const char *detail) {
    if (record(name, reason, detail) || !ch_skips_once) ch_add_relaxed(&ch_header->matched, 1);
}
