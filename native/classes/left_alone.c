/* Records classes that are not instrumented, with the reason, for the report. */
#include "classes.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps text within one field: class names and error messages may contain anything. */
static void copy_field(char *to, size_t room, const char *from) {
    snprintf(to, room, "%s", from);
    for (; *to; to++)
        if (strchr("\t\n\r\\", *to)) *to = '?';
}

bool ch_skips_once;

bool ch_was_said(const void *text, size_t bytes) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t *said; /* hashes, 0: free */
    static size_t room, used;
    uint64_t hash = ch_hash_unkeyed((struct ch_key){0, 0}, text, bytes).low | 1;
    pthread_mutex_lock(&lock);
    if (used * 2 >= room) {
        uint64_t *fresh = calloc(room ? room * 2 : 256, sizeof *fresh);
        size_t more = room ? room * 2 : 256;
        for (size_t i = 0; fresh && i < room; i++) {
            size_t at = said[i] >> 1 & (more - 1);
            while (said[i] && fresh[at]) at = (at + 1) & (more - 1);
            if (said[i]) fresh[at] = said[i];
        }
        if (fresh) {
            free(said);
            said = fresh;
            room = more;
        }
    }
    size_t at = room ? hash >> 1 & (room - 1) : 0;
    while (room && said[at] && said[at] != hash) at = (at + 1) & (room - 1);
    bool before = room && said[at];
    if (room && !before && used + 1 < room) said[at] = hash, used++;
    pthread_mutex_unlock(&lock);
    return before;
}

/* False: it is recorded already. */
static bool record(const char *name, const char *reason, const char *detail) {
    char class_name[1024], why[1024], text[2200];
    copy_field(class_name, sizeof class_name, name);
    copy_field(why, sizeof why, detail);
    /* as written by instrument/weaving/probe_table.py; the reader converts internal names to binary names */
    int n = snprintf(text, sizeof text, "C\t%s\t\nS\t\t\t%s\t%s", class_name, reason, why);
    struct ch_alike alike = ch_alike_find(class_name, text, (size_t)n, (struct ch_key){0, 0});
    if (alike.shares || ch_was_said(text, (size_t)n)) return false;
    ch_alike_describe(&alike, CH_META_SKIP, 0, 0);
    return true;
}

void ch_skip(const char *name, const char *reason, const char *detail) { record(name, reason, detail); }

/* A class that a rule matches is not instrumented. */
void ch_leave(const char *name, const char *reason, const char *detail) {
    if (record(name, reason, detail) || !ch_skips_once) __atomic_fetch_add(&ch_header->matched, 1, __ATOMIC_RELAXED);
}
