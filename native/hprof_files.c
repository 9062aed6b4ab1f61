/* HPROF's files, as the option `hprof=` of the agent asks for them: written at SIGQUIT, and at the JVM's end.
 *
 * 1. What was measured is in the data file, as always; Python (instrument/extensions/hprof/inside_jvm.py) reads it and writes
 *    HPROF's form.
 * 2. `classhook hprof` writes the last file itself, when all of its JVMs have ended: then only SIGQUIT is for this one.
 */
#include "hprof_files.h"
#include "base/clock.h"
#include "weaver/weaver.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *settings; /* NULL: no such files */
static bool last_one_too;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ch_hprof_start(const char *options, bool at_end) {
    settings = options;
    last_one_too = at_end;
}

bool ch_hprof_wanted(void) { return settings; }

/* WHEN, the data file, HPROF's options: each a line. */
static void write_now(const char *when) {
    struct ch_error error = {0};
    char text[16384];
    int n = snprintf(text, sizeof text, "%s\n%s\n%s", when, ch_store_path(), settings);
    if (n < 0 || (size_t)n >= sizeof text) return;
    pthread_mutex_lock(&lock);
    free(ch_python_hprof("write", text, (size_t)n, &error));
    pthread_mutex_unlock(&lock);
    ch_error_say(&error);
}

void ch_hprof_dump(void) {
    if (!settings) return;
    ch_clock_mark(); /* the file's time */
    write_now("dump");
}

void ch_hprof_end(void) {
    if (settings && last_one_too) write_now("end");
}
