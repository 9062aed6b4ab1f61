/* HPROF's files, as the option `hprof=` of the agent asks for them: written at SIGQUIT, and at the JVM's end.
 *
 * 1. The measurements are in the data file, as always; Python (instrument/extensions/hprof/inside_jvm.py) reads it and
 *    writes HPROF's form.
 * 2. `classhook hprof` writes the last file itself, when all of its JVMs have ended: then only SIGQUIT is for this one.
 */
#include "hprof_files.h"
#include "base/clock.h"
#include "live/live.h"
#include "weaver/weaver.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *settings; /* NULL: no such files */
static bool last_one_too;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Python makes rules and options of ours of HPROF's. */
static bool parse(const char *given, struct ch_options *out, struct ch_error *error) {
    ch_python_find_conflicts();
    char *answer = ch_python_ask("hprof", "start", given, strlen(given), error);
    char *rules = answer ? strchr(answer, '\n') : NULL;
    if (answer && !rules) exit(0); /* help was all that was asked for, as of HPROF */
    if (!rules) return false;
    *rules = 0;
    out->rules_text = strdup(rules + 1);
    bool well = out->rules_text && ch_options_parse(answer, out, error);
    free(answer);
    return well;
}

static void start(const struct ch_options *given) {
    settings = given->hprof;
    last_one_too = given->hprof_end;
    if (settings) ch_thread_log_ask();
}

static bool wanted(void) { return settings; }

/* WHEN, the data file, HPROF's options: each a line. */
static void write_now(const char *when) {
    struct ch_error error = {0};
    char text[16384];
    int n = snprintf(text, sizeof text, "%s\n%s\n%s", when, ch_store_path(), settings);
    if (n < 0 || (size_t)n >= sizeof text) return;
    pthread_mutex_lock(&lock);
    free(ch_python_ask("hprof", "write", text, (size_t)n, &error));
    pthread_mutex_unlock(&lock);
    ch_error_say(&error);
}

static void dump(void) {
    if (!settings) return;
    ch_clock_mark(); /* the file's time */
    write_now("dump");
}

static void end(void) {
    if (settings && last_one_too) write_now("end");
}

const struct ch_agent_extension ch_hprof = {"hprof", parse, start, wanted, dump, end};
