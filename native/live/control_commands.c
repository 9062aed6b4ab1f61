/* The commands of the control socket: a table. Each answers with lines of JSON; the last one has the key "ok" or
 * "error". */
#include "../base/jdk_members.h"
#include "../table/number.h"
#include "live.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- of sessions */

static void rules_as_text(char *to) {
    struct ch_key k = ch_active_rules().all;
    snprintf(to, 33, "%016llx%016llx", (unsigned long long)k.high, (unsigned long long)k.low);
}

static bool status(JNIEnv *env, const char *text, struct ch_reply *r) {
    char rules[33];
    (void)env, (void)text;
    rules_as_text(rules);
    ch_reply_add(r, "{\"ok\": true, \"pid\": %d, \"attached\": %s, \"rules\": \"%s\", ", (int)getpid(),
                 ch_session_is_on() ? "true" : "false", rules);
    ch_reply_field(r, "data", ch_store_path());
    ch_reply_add(r, ", \"seen\": %llu, \"matched\": %llu, \"woven\": %llu, \"slots\": %llu}\n",
                 (unsigned long long)ch_header->seen, (unsigned long long)ch_header->matched,
                 (unsigned long long)ch_header->woven, (unsigned long long)ch_header->slots_used);
    return true;
}

/* `code`: for programs, which must not depend on the words of `why`. */
static bool error_code(struct ch_reply *r, const char *code, const char *why) {
    ch_reply_add(r, "{");
    ch_reply_field(r, "error", why);
    if (code) {
        ch_reply_add(r, ", ");
        ch_reply_field(r, "code", code);
    }
    ch_reply_add(r, "}\n");
    return true;
}

static bool error(struct ch_reply *r, const char *why) { return error_code(r, NULL, why); }

/* A word that a command begins with. */
static bool takes(const char **text, const char *word) {
    size_t n = strlen(word);
    bool yes = !strncmp(*text, word, n) && (!(*text)[n] || (*text)[n] == ' ');
    if (yes) *text += n + strspn(*text + n, " ");
    return yes;
}

/* Changes classes at once, even if a loop of theirs runs. */
static bool at_once(const char **text) { return takes(text, "now"); }

/* `word VALUE`; "" if it is not there, or too long. */
static void take_value(const char **text, const char *word, char *value, size_t room) {
    *value = 0;
    if (!takes(text, word)) return;
    size_t n = strcspn(*text, " ");
    snprintf(value, room, "%.*s", (int)n, *text);
    *text += n + strspn(*text + n, " ");
}

/* `[now] [atmost MICROSECONDS] [follow NAME]` */
static struct ch_stops stops_for(const char **text) {
    struct ch_stops stops = {.at_once = at_once(text)};
    char value[64];
    uint64_t at_most_us;
    take_value(text, "atmost", value, sizeof value);
    if (ch_read_number(value, strlen(value), UINT64_MAX, &at_most_us)) stops.at_most_ns = at_most_us * 1000;
    take_value(text, "follow", value, sizeof value);
    if (*value) ch_progress_begin(&stops, value);
    return stops;
}

/* The rules beside those of the file, by which an exchange is undone. */
static char *read_back(const char *file, size_t *bytes, struct ch_error *e) {
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s.back", file);
    if (n > 0 && (size_t)n < sizeof path) return ch_rules_read(path, bytes, e);
    ch_fail(e, "the name of the rules is too long: %s", file);
    return NULL;
}

/* With the session's turn. An exchange that does not go on to its end is undone at once: its client may have left. */
static bool exchange_files(JNIEnv *env, const char *file, bool undoes, struct ch_stops *stops, struct ch_error *e) {
    struct ch_stops back = {.at_once = stops->at_once, .take_back = true};
    size_t bytes = 0, bytes_back = 0;
    char *rules_back = undoes ? read_back(file, &bytes_back, e) : NULL;
    char *rules = undoes && !rules_back ? NULL : ch_rules_read(file, &bytes, e);
    bool well = rules && ch_session_change(env, rules, bytes, stops, e);
    if (well && rules_back && stops->end != CH_STOPS_ALL)
        return ch_session_change(env, rules_back, bytes_back, &back, e);
    free(rules_back);
    return well;
}

static bool exchange_by(JNIEnv *env, const char *text, struct ch_reply *r, struct ch_stops *stops) {
    struct ch_error e = {0};
    char rules[33];
    stops->take_back = takes(&text, "back");
    bool undoes = takes(&text, "undo");
    rules_as_text(rules);
    if (strncmp(text, rules, 32) || text[32] != ' ')
        return error_code(r, "rules-changed", "another command has changed the rules; try again");
    if (!ch_session_take()) return error(r, "another command is attaching or detaching at this moment; try again");
    bool well = ch_session_is_on() || ch_fail(&e, "classhook is not attached");
    well = well && exchange_files(env, text + 33, undoes, stops, &e);
    rules_as_text(rules);
    if (well) {
        ch_reply_add(r, "{\"ok\": true, \"rules\": \"%s\"", rules);
        ch_reply_stops(r, stops);
        ch_reply_postponed(r);
        ch_reply_add(r, "}\n");
    }
    ch_session_give();
    return well || error(r, e.text);
}

/* `exchange ... [back] [undo] RULES FILE`: the rules of the file take the place of those with this hash. `undo`: if that
 * is not done to its end, those of FILE.back do. `back`: this undoes the exchange before. */
static bool exchange(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_stops stops = stops_for(&text);
    bool well = exchange_by(env, text, r, &stops);
    ch_progress_end(&stops);
    return well;
}

/* `now`: changes the classes whose loops are waited for. */
static bool now(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_stops stops = {0};
    struct ch_error e = {0};
    (void)text;
    if (!ch_session_take()) return error(r, "another command is attaching or detaching at this moment; try again");
    ch_session_now(env, &stops, &e);
    ch_reply_add(r, "{\"ok\": true");
    ch_reply_stops(r, &stops);
    ch_reply_postponed(r);
    ch_reply_add(r, "}\n");
    ch_session_give();
    return true;
}

static bool detach(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_stops stops = {.at_once = at_once(&text)};
    struct ch_error e = {0};
    if (!ch_session_take()) return error(r, "another command is attaching or detaching at this moment; try again");
    bool on = ch_session_is_on(), moved = false;
    if (on) {
        ch_events_stop(env);
        ch_events_undo(env);
        moved = ch_session_end(env, &stops, &e);
        ch_reply_add(r, "{\"ok\": true");
        ch_reply_stops(r, &stops);
        ch_reply_postponed(r);
        ch_reply_add(r, ", \"moved\": %s, ", moved ? "true" : "false");
        ch_reply_field(r, "says", e.text);
        ch_reply_add(r, "}\n");
    }
    ch_session_give();
    return on ? false : error(r, "classhook is not attached");
}

void (*ch_control_begin_events)(JNIEnv *env, struct ch_error *error);

/* The first script of a session. With the session's turn. */
static bool add_first(JNIEnv *env, const char *script, struct ch_stops *stops, struct ch_error *e) {
    size_t bytes = 0;
    char *rules = ch_session_is_on() ? ch_python_rules_copy(&bytes) : NULL;
    if (rules) rules = ch_events_scripts(script, rules, &bytes, e);
    if (!rules) return *e->text ? false : ch_fail(e, "there is no session");
    if (!ch_session_change(env, rules, bytes, stops, e)) {
        ch_events_undo(env);
        return false;
    }
    ch_control_begin_events(env, e);
    return true;
}

/* `agent list`; `agent VERB FILE=OPTIONS`: other scripts of handlers (events/lifecycle.c). */
static bool agent(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_stops stops = {0};
    struct ch_error e = {0};
    bool lists = !*text || !strcmp(text, "list"), first = !ch_events_are_on();
    if (first && strncmp(text, "add ", 4) != 0)
        return error(r, "no script of handlers is in this JVM: `agent add FILE` adds one");
    if (!ch_session_take()) return error(r, "another command is attaching or detaching at this moment; try again");
    char *answer = first ? NULL : lists ? ch_events_list(&e) : ch_events_prepare(text, &e);
    bool well = answer && (lists || !*answer || ch_session_change(env, answer, strlen(answer), &stops, &e));
    if (first) well = add_first(env, text + 4, &stops, &e);
    ch_session_give(); /* handlers of `start` and `end` may change rules */
    if (well && !lists && !first)
        ch_events_settle(env, &e);
    else if (answer && !lists)
        ch_events_drop();
    if (well && lists) ch_reply_lines(r, answer);
    if (answer && (lists || !*answer)) free(answer); /* the session keeps rules */
    if (!well) return error(r, e.text);
    ch_reply_add(r, "{\"ok\": true");
    if (!lists) ch_reply_stops(r, &stops);
    if (*e.text) {
        ch_reply_add(r, ", ");
        ch_reply_field(r, "says", e.text);
    }
    ch_reply_add(r, "}\n");
    return true;
}

/* `transforms`: a script has added or removed some. */
static bool transforms(JNIEnv *env, const char *text, struct ch_reply *r) {
    (void)env, (void)text;
    ch_worker_transform();
    ch_reply_add(r, "{\"ok\": true}\n");
    return true;
}

/* ---- of the JVM */

static bool gc(JNIEnv *env, const char *text, struct ch_reply *r) {
    (void)env, (void)text;
    uint64_t start = ch_monotonic_ns();
    if (!ch_may_collect()) return error(r, CH_NO_COLLECTOR);
    if ((*ch_jvmti)->ForceGarbageCollection(ch_jvmti)) return error(r, "the JVM refused");
    ch_reply_add(r, "{\"ok\": true, \"took_ns\": %llu}\n", (unsigned long long)(ch_monotonic_ns() - start));
    return true;
}

static const char *state_of(jint state) {
    static const struct {
        jint bit;
        const char *name;
    } names[] = {
        {JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, "blocked"},
        {JVMTI_THREAD_STATE_SLEEPING, "sleeping"},
        {JVMTI_THREAD_STATE_PARKED, "parked"},
        {JVMTI_THREAD_STATE_WAITING, "waiting"},
        {JVMTI_THREAD_STATE_IN_NATIVE, "native"},
        {JVMTI_THREAD_STATE_RUNNABLE, "runnable"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (state & names[i].bit) return names[i].name;
    return "other";
}

static const struct ch_waiting *waiting_of(const struct ch_waiting *all, size_t n, int64_t id) {
    for (size_t i = 0; i < n; i++)
        if (all[i].id == id) return &all[i];
    return NULL;
}

static void say_waiting(struct ch_reply *r, const struct ch_waiting *w) {
    ch_reply_add(r, ", ");
    ch_reply_field(r, "waits_for", w->waits_for);
    ch_reply_add(r, ", ");
    ch_reply_field(r, "held_by", w->held_by);
    ch_reply_add(r, ", ");
    ch_reply_field(r, "at", w->at);
}

/* The numbers that Java gives to threads, by the field: the method may be the program's. */
static jlong *ids_of(JNIEnv *env, const jthread *all, jint n) {
    jfieldID field = ch_jdk_field(env, CH_JDK_THREAD_ID, NULL);
    jlong *ids = field ? calloc((size_t)n + 1, sizeof *ids) : NULL;
    if (!ids) return NULL;
    for (jint i = 0; i < n; i++) ids[i] = (*env)->GetLongField(env, all[i], field);
    return ids;
}

/* A line for each deadlocked thread; returns how many deadlocks there are. */
static uint32_t say_deadlocks(JNIEnv *env, struct ch_reply *r) {
    struct ch_waiting *all;
    uint32_t cycles;
    size_t n = ch_deadlocks(env, &all, &cycles);
    for (size_t i = 0; i < n; i++) {
        ch_reply_add(r, "{\"deadlock\": %u, ", all[i].cycle);
        ch_reply_field(r, "name", all[i].name);
        say_waiting(r, &all[i]);
        ch_reply_add(r, "}\n");
    }
    ch_waiting_free(all, n);
    return cycles;
}

static bool threads(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_waiting *waiting = NULL;
    jthread *all = NULL;
    jint n = 0;
    (void)text;
    if ((*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &all)) return error(r, "the JVM refused");
    (void)ch_local_room(env, n + 64);
    jlong *ids = ids_of(env, all, n);
    size_t waiters = ids ? ch_threads_waiting(env, ids, (size_t)n, &waiting) : 0;
    for (jint i = 0; i < n; i++) {
        jvmtiThreadInfo info = {0};
        jint state = 0;
        if (!(*ch_jvmti)->GetThreadInfo(ch_jvmti, all[i], &info) &&
            !(*ch_jvmti)->GetThreadState(ch_jvmti, all[i], &state)) {
            ch_reply_add(r, "{");
            ch_reply_field(r, "name", info.name);
            ch_reply_add(r, ", \"state\": \"%s\", \"daemon\": %s, \"priority\": %d", state_of(state),
                         info.is_daemon ? "true" : "false", (int)info.priority);
            const struct ch_waiting *w = ids ? waiting_of(waiting, waiters, ids[i]) : NULL;
            if (w) say_waiting(r, w);
            ch_reply_add(r, "}\n");
        }
        if (info.name) (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
        if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
        if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
        (*env)->DeleteLocalRef(env, all[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    ch_waiting_free(waiting, waiters);
    free(ids);
    uint32_t deadlocks = say_deadlocks(env, r);
    ch_reply_add(r, "{\"ok\": true, \"threads\": %d, \"deadlocks\": %u}\n", (int)n, deadlocks);
    return true;
}

static bool jcmd(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_error e = {0};
    if (!*text) return error(r, "which command? `jcmd help` lists them");
    char *lines = ch_diagnostic(env, text, &e);
    if (!lines) return error(r, e.text);
    ch_reply_lines(r, lines);
    ch_reply_add(r, "{\"ok\": true}\n");
    free(lines);
    return true;
}

/* All threads and monitors, into the data file. */
static bool dump(JNIEnv *env, const char *text, struct ch_reply *r) {
    struct ch_error e = {0};
    (void)text;
    if (!ch_dump_threads(env, &e)) return error(r, e.text);
    ch_reply_add(r, "{\"ok\": true}\n");
    return true;
}

static bool heap(JNIEnv *env, const char *text, struct ch_reply *r) {
    uint64_t start = ch_monotonic_ns();
    struct ch_error e = {0};
    if (!strcmp(text, "histogram")) return jcmd(env, "GC.class_histogram", r);
    bool listed = !strncmp(text, "listed ", 7); /* with the list of sampled objects in it, for HPROF's files */
    if (!listed && strncmp(text, "dump ", 5))
        return error(r, "unknown command; use `heap histogram` or `heap dump FILE`");
    jobject list = listed ? ch_objects_list(env) : NULL;
    bool well = ch_heap_dump(env, strchr(text, ' ') + 1, &e);
    if (list) (*env)->DeleteGlobalRef(env, list);
    if (!well) return error(r, e.text);
    ch_reply_add(r, "{\"ok\": true, \"took_ns\": %llu}\n", (unsigned long long)(ch_monotonic_ns() - start));
    return true;
}

/* ---- the table */

static bool help(JNIEnv *env, const char *text, struct ch_reply *r);

static const struct {
    const char *name;
    bool (*act)(JNIEnv *env, const char *text, struct ch_reply *r); /* false: the socket is no longer needed */
    bool in_handlers; /* they may ask for it: it does not wait for them */
} commands[] = {
    {"status", status, true},
    {"exchange", exchange, true},
    {"now", now, true},
    {"hold", ch_hold, false},
    {"detach", detach, false},
    {"gc", gc, true},
    {"agent", agent, false},
    {"transforms", transforms, true},
    {"threads", threads, true},
    {"heap", heap, true},
    {"dump", dump, false},
    {"jcmd", jcmd, true},
    {"help", help, false},
    {"classes", ch_answer_classes, true},
    {"class", ch_answer_class, true},
    {"subtypes", ch_answer_subtypes, true},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool help(JNIEnv *env, const char *text, struct ch_reply *r) {
    (void)env, (void)text;
    ch_reply_add(r, "{\"ok\": true, \"commands\": [");
    for (size_t i = 0; i < COMMANDS; i++) ch_reply_add(r, "%s\"%s\"", i ? ", " : "", commands[i].name);
    ch_reply_add(r, "]}\n");
    return true;
}

bool ch_command(JNIEnv *env, const char *line, struct ch_reply *r) {
    size_t n = strcspn(line, " "), i = 0;
    while (i < COMMANDS && (strlen(commands[i].name) != n || strncmp(line, commands[i].name, n))) i++;
    if (i == COMMANDS) { /* the script's own */
        char *answer = ch_events_command(env, line);
        if (!answer) return error(r, "unknown command; `help` lists them");
        ch_reply_text(r, answer);
        free(answer);
        return true;
    }
    bool go_on = commands[i].act(env, line + n + strspn(line + n, " "), r);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return go_on;
}

char *ch_command_ask(JNIEnv *env, const char *line) {
    struct ch_reply r = {.client = -1};
    size_t n = strcspn(line, " "), i = 0;
    while (i < COMMANDS && (strlen(commands[i].name) != n || strncmp(line, commands[i].name, n))) i++;
    if (i == COMMANDS || !commands[i].in_handlers) return NULL;
    ch_command(env, line, &r);
    ch_reply_add(&r, "%c", 0); /* an error of json_reply.c has it already */
    return r.text;
}
