/* The agent's options: rules=FILE,data=DIR,... with %XX for a character that would end a value. */
#ifndef CLASSHOOK_OPTIONS_H
#define CLASSHOOK_OPTIONS_H
#include "base/base.h"

struct ch_options {
    char *rules, *data, *cache, *pythonpath, *libpython;
    char *action, *answer, *tmpfs, *control,
        *script; /* of an attachment: what to do, and the name of the answer (live/attach_answer.c) */
    char *heap_dump; /* the file for one, on request and at the JVM's end */
    char *heap_end; /* "no": none at the end */
    char *hprof, *hprof_end; /* HPROF's options; not NULL: its file is written at the JVM's end, too */
    char *rules_text; /* compiled rules, instead of a file of them */
    char *run; /* of which run this JVM is one */
    char *labels; /* of the run: instrument/base/run_labels.py */
    char *now; /* of an attachment: classes are changed even if a loop of theirs runs */
    char *follow; /* of an attachment: a client follows it by this name (live/exchange_progress.c) */
    uint64_t timeout_ms;
    uint64_t at_most_us; /* of an attachment: how long a stop may take; 0: there is no limit */
};
void ch_options_free(struct ch_options *o);
bool ch_options_parse(const char *text, struct ch_options *out, struct ch_error *error);
#endif
