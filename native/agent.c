/* The agent's entry points and event handlers, in the order in which the JVM calls them.
 *
 * 1. Agent_OnLoad reads options and rules, opens the data file and requests capabilities. It always returns 0: a JVM
 *    must not fail to start because of the agent.
 * 2. VMStart defines the tracker class in java.lang.
 * 3. VMInit enables the class file load hook. Enabled earlier, it would switch off the AOT cache and class-data
 *    sharing.
 * 4. ThreadStart gives the first threads their blocks, ThreadEnd takes a thread's block back, VMDeath writes how the
 *    JVM ended.
 * 5. Handlers of the end, and heap dumps, come earlier: as the last hook of Java's shutdown
 *    (base/shutdown_hook.c).
 * 6. If all rules only sample or look at monitors, the hook stays off, and the capabilities to change classes are not
 *    requested.
 */
#include "contexts/attribution.h"
#include "threads/thread_names.h"
#include "extensions/agent_extension.h"
#include "live/live.h"
#include "moments/moments.h"
#include "options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EACH_EXTENSION(e) for (const struct ch_agent_extension *const *e = ch_agent_extensions; *e; e++)

/* The order in which they are told. */
static const struct ch_measure *const measures[] = {
    &ch_measure_time,       &ch_measure_tree,
    &ch_measure_coverage,   &ch_measure_watch,
    &ch_measure_intervals,  &ch_measure_cpu,
    &ch_measure_pauses,     &ch_measure_moments,
    &ch_measure_locks,      &ch_measure_objects,
    &ch_measure_contexts,   &ch_measure_tests,
    &ch_measure_thread_log, NULL,
};

static bool loaded, controlled;
static const char *heap_dump; /* the file for one, on request and at the end */
static bool dumps_at_end;

static void JNICALL vm_start(jvmtiEnv *jvmti, JNIEnv *env) {
    struct ch_error error = {0};
    (void)jvmti;
    if (!ch_tracker_define(env, &error)) ch_error_say(&error);
}

static void dump_heap(JNIEnv *env) {
    struct ch_error error = {0};
    if (!heap_dump) return;
    unlink(heap_dump); /* an earlier one of ours: HotSpot writes over no file */
    jobject list = ch_objects_list(env);
    if (!ch_heap_dump(env, heap_dump, &error)) ch_say("no heap dump in %s: %s", heap_dump, error.text);
    if (list) (*env)->DeleteGlobalRef(env, list);
}

static bool extension_wants_files(void) {
    EACH_EXTENSION (e)
        if ((*e)->wanted()) return true;
    return false;
}

/* At VMDeath the heap is no longer dumped, unless Runtime.halt ended the program. */
static void at_shutdown(JNIEnv *env) {
    ch_end_work_begins();
    ch_events_stop(env);
    if (dumps_at_end) dump_heap(env);
    heap_dump = NULL;
    ch_end_work_done();
}

static void begin_events(JNIEnv *env, struct ch_error *error) {
    ch_events_ask = ch_command_ask;
    ch_control_begin_events = begin_events;
    if (ch_events_start(env, error) || heap_dump) ch_at_shutdown(env, at_shutdown);
    if (ch_events_take_commands()) ch_control_start(env, error);
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    struct ch_error error = {0};
    (void)jvmti;
    if (!ch_tracker_is_there()) return;
    ch_weak_prepare(env);
    ch_thread_told_apart(env, thread);
    ch_session_at_init(env, thread, &error);
    ch_clock_mark();
    if (ch_session_is_on()) begin_events(env, &error); /* else they would have classes woven for a tracker that fails */
    if (controlled) ch_control_start(env, &error);
    ch_error_say(&error);
}

static void JNICALL thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    ch_thread_told_apart(env, thread);
    ch_thread_started(env, thread);
    ch_measures_on_thread_begin(env, thread);
}

static void JNICALL class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass c) {
    (void)jvmti, (void)thread;
    (void)ch_local_room(env, 64); /* -Xcheck:jni counts those of the thread's other frames, too */
    ch_tracker_linked(env, c);
    ch_class_linked(env, c, ch_loaded_unlinked || ch_session_is_live());
}

static void JNICALL thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    ch_measures_on_thread_end(env, thread);
    ch_thread_ended(env, thread);
}

/* Runtime.halt and System.exit both end in Shutdown.halt0; its callers tell them apart. */
static bool is_halt(void) {
    jvmtiFrameInfo frames[8];
    jint n = 0;
    bool exit_seen = false, halt_seen = false;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, 0, 8, frames, &n)) return false;
    for (jint i = 0; i < n; i++) {
        char *name = NULL;
        if ((*ch_jvmti)->GetMethodName(ch_jvmti, frames[i].method, &name, NULL, NULL)) continue;
        halt_seen |= !strcmp(name, "halt0");
        exit_seen |= !strcmp(name, "exit");
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
    }
    return halt_seen && !exit_seen;
}

/* The hook was off, so classes woven ahead of time have probes without numbers. */
static void say_not_counted(void) {
    static const char note[] = "classes that were woven ahead of time ran, and were not counted: with no rules but "
                               "`cpu` and `locks` the agent looks at no class; "
                               "they are counted without these, or with another one beside them";
    if (ch_unnumbered_ran()) ch_meta_add(CH_META_NOTE, 0, 0, note, sizeof note - 1);
}

static void dump_threads(JNIEnv *env) {
    struct ch_error error = {0};
    if (!ch_dump_threads(env, &error)) ch_say("no dump of threads and monitors: %s", error.text);
}

/* A user asked for a thread dump, with SIGQUIT. */
static void JNICALL data_dump_request(jvmtiEnv *jvmti) {
    JNIEnv *env = NULL;
    (void)jvmti;
    if ((*ch_vm)->GetEnv(ch_vm, (void **)&env, JNI_VERSION_1_8)) return;
    bool wanted = extension_wants_files();
    if (ch_lock_dump(env) || wanted) dump_threads(env);
    if (!wanted) return;
    dump_heap(env);
    EACH_EXTENSION (e) (*e)->dump();
}

static void JNICALL vm_death(jvmtiEnv *jvmti, JNIEnv *env) {
    (void)jvmti;
    bool works = ch_events_are_on() || heap_dump || extension_wants_files();
    ch_jvm_ends();
    ch_postponed_stop();
    if (works) ch_end_work_begins();
    ch_events_stop(env);
    ch_store_release(&ch_hook_on, false);
    ch_control_stop();
    if (extension_wants_files() && ch_wanted.samplers.locks.frames) dump_threads(env);
    ch_measures_stop(env, true);
    if (dumps_at_end) dump_heap(env);
    if (!ch_filter_all_matched()) ch_loaded_say_names();
    ch_loaders_say_waiting();
    if (ch_wanted.only_sampling)
        say_not_counted();
    else
        ch_loaded_say_unnumbered();
    ch_clock_mark();
    if (!ch_header->moved) ch_store_end(is_halt() ? CH_HALT : CH_EXIT);
    EACH_EXTENSION (e) (*e)->end();
    if (works) ch_end_work_done();
    ch_session_files_at_exit();
}

/* JVMs that this one starts are instrumented too, with the option that the launcher passes, see
 * instrument/base/launch.py. */
static void pass_on_to_children(void) {
    const char *agent = getenv("CLASSHOOK_AGENT"), *options = getenv("JAVA_TOOL_OPTIONS");
    if (!agent || (options && strstr(options, agent))) return;
    size_t n = strlen(agent) + (options ? strlen(options) : 0) + 2;
    char *text = malloc(n);
    if (!text) return;
    snprintf(text, n, "%s%s%s", options ? options : "", options ? " " : "", agent);
    setenv("JAVA_TOOL_OPTIONS", text, 1);
    free(text);
}

/* The events, and whether each is enabled at once, when the JVM starts or in one that runs. The class file load hook is
 * enabled when a session begins, ClassPrepare while a class waits for its loader, if rules name supertypes, and when
 * rules may be exchanged; NativeMethodBind by events/opened_files.c. */
enum when { LATER, AT_START, AT_ONCE };
#define EVENTS(EVENT) \
    EVENT(VM_START, VMStart, vm_start, AT_START) \
    EVENT(VM_INIT, VMInit, vm_init, AT_START) \
    EVENT(VM_DEATH, VMDeath, vm_death, AT_ONCE) \
    EVENT(THREAD_START, ThreadStart, thread_start, AT_ONCE) \
    EVENT(THREAD_END, ThreadEnd, thread_end, AT_ONCE) \
    EVENT(DATA_DUMP_REQUEST, DataDumpRequest, data_dump_request, AT_ONCE) \
    EVENT(CLASS_FILE_LOAD_HOOK, ClassFileLoadHook, ch_class_file_load_hook, LATER) \
    EVENT(CLASS_PREPARE, ClassPrepare, class_prepare, LATER) \
    EVENT(NATIVE_METHOD_BIND, NativeMethodBind, ch_native_bound, LATER) \
    CH_CODE_EVENTS(EVENT) \
    CH_PAUSE_EVENTS(EVENT) \
    CH_LOCK_EVENTS(EVENT)

static bool listen_to_jvm(bool starting, struct ch_error *error) {
#define CALLBACK(event, field, function, now) .field = function,
    static const jvmtiEventCallbacks callbacks = {EVENTS(CALLBACK)};
#define NOW(event, field, function, now) {JVMTI_EVENT_##event, now},
    static const struct {
        jvmtiEvent event;
        enum when now;
    } events[] = {EVENTS(NOW)};
    if (!ch_wanted.only_sampling && !ch_session_may_weave(error)) return false;
    if (!ch_check(error, (*ch_jvmti)->SetEventCallbacks(ch_jvmti, &callbacks, sizeof callbacks), "event callbacks"))
        return false;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i].now >= (starting ? AT_START : AT_ONCE) &&
            !ch_check(error, (*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, events[i].event, NULL),
                      "an event"))
            return false;
    return true;
}

/* Notes which program this is, and of which run. A JVM that another program made has no main class. */
static void note_program(const char *run) {
    char command[8192] = "";
    ch_jvm_property("sun.java.command", command, sizeof command);
    const char *slash = strrchr(ch_header->command, '/'), *executable = slash ? slash + 1 : ch_header->command;
    ch_program(*command ? command : executable, ch_header->program, sizeof ch_header->program);
    if (run) snprintf(ch_header->run, sizeof ch_header->run, "%s", run);
}

/* Notes the labels of its run: `classhook run` passes them on by the environment, so all JVMs of the run get them. */
static void note_labels(const char *labels) {
    if (!labels) labels = getenv("CLASSHOOK_LABELS");
    if (labels) ch_meta_add(CH_META_LABELS, 0, 0, labels, strlen(labels));
}

/* `starting`: the JVM itself starts, too. */
static bool start(const struct ch_options *options, bool starting, struct ch_error *error) {
    size_t bytes = 0;
    ch_measures_are(measures);
    ch_hash_start();
    ch_python_find_conflicts();
    ch_python_start(options->pythonpath, options->libpython, options->timeout_ms);
    char *rules = options->rules_text ? options->rules_text : ch_rules_read(options->rules, &bytes, error);
    if (options->rules_text) bytes = strlen(rules);
    if (options->script) rules = ch_events_scripts(options->script, rules, &bytes, error);
    struct ch_filter *filter = rules ? ch_filter_read(rules, bytes, error) : NULL;
    if (!filter) return ch_fail(error, "this JVM is not instrumented");
    ch_filter_use(filter);
    if (!ch_store_open(options->data, !options->tmpfs || strcmp(options->tmpfs, "no"), error)) return false;
    ch_guard_start(&ch_header->refused, ch_header->command, sizeof ch_header->command);
    if (!ch_meta_start() || !ch_threads_start() || !ch_pace_start() || !ch_coverage_start()) {
        ch_store_discard();
        return ch_fail(error, "no memory for counters; this JVM is not instrumented");
    }
    ch_moment_table_open();
    note_program(options->run);
    ch_originals_start(options->data);
    ch_clock_start();
    ch_jvm_property("java.vm.version", ch_header->jvm, sizeof ch_header->jvm);
    ch_jvm_property("java.vm.name", ch_header->jvm_name, sizeof ch_header->jvm_name);
    note_labels(options->labels);
    ch_rules_exchange();
    ch_rules_exchanged(rules, bytes, false);
    ch_python_rules(rules, bytes);
    if (options->cache && !ch_wanted.only_sampling) ch_cache_open(options->cache, ch_rules_hash(rules, bytes), error);
    if (starting) {
        ch_measures_early(error);
        ch_jvm_events_early();
    }
    return listen_to_jvm(starting, error);
}

/* Options of ours, or `NAME:OPTIONS` with those of an extension. */
static bool parse_options(const char *text, struct ch_options *out, struct ch_error *error) {
    EACH_EXTENSION (e) {
        size_t n = strlen((*e)->name);
        if (!text || strncmp(text, (*e)->name, n) || (text[n] && text[n] != ':')) continue;
        return (*e)->options(text[n] ? text + n + 1 : "", out, error);
    }
    return ch_options_parse(text, out, error);
}

/* The classes of a bundle call the tracker, so the agent must start. If its options or rules are wrong, it starts with
 * the bundle's rules alone. */
static bool start_bundle(const struct ch_options *given, struct ch_error *error) {
    struct ch_options plain = {.data = given->data};
    if (!ch_is_bundle() || !ch_options_parse("", &plain, error)) return false;
    ch_error_say(error);
    *error = (struct ch_error){0};
    ch_say("this program needs the agent, which runs with the bundle's rules now; its data: %s", plain.data);
    return start(&plain, true, error);
}

/* do=check,rules=ASKED,answer=FILE: see live/jdk_check.c. */
static jint check_jdk(const struct ch_options *given) {
    struct ch_error error = {0};
    ch_jdk_check_start(given->rules, given->answer, &error);
    ch_error_say(&error);
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    struct ch_options given = {0};
    struct ch_error error = {0};
    (void)reserved;
    if (loaded) return JNI_OK; /* a second -agentpath for this agent changes nothing */
    bool there = ch_jvm_start(vm, &error), understood = there && parse_options(options, &given, &error);
    if (understood && given.action && !strcmp(given.action, "check") && given.rules && given.answer)
        return check_jdk(&given);
    pass_on_to_children();
    loaded = understood && start(&given, true, &error);
    loaded = loaded || (there && start_bundle(&given, &error));
    ch_error_say(&error);
    controlled = given.control != NULL;
    if (loaded)
        EACH_EXTENSION (e) (*e)->start(&given);
    heap_dump = given.heap_dump;
    dumps_at_end = !given.heap_end;
    return JNI_OK;
}

/* ---- attaching: the same library is asked again each time */

struct request {
    const struct ch_options *options;
    struct ch_reply reply;
    struct ch_error error;
};

static bool done(struct request *q, const char *what, const struct ch_stops *stops, bool moved) {
    struct ch_reply *r = &q->reply;
    ch_reply_add(r, "{\"ok\": \"%s\", ", what);
    ch_reply_field(r, "data", ch_store_path());
    ch_reply_stops(r, stops);
    ch_reply_postponed(r);
    ch_reply_add(r, ", \"moved\": %s}\n", moved ? "true" : "false");
    return true;
}

static struct ch_stops stops_for(const struct request *q) {
    struct ch_stops stops = {.at_once = q->options->now != NULL, .at_most_ns = q->options->at_most_us * 1000};
    if (q->options->follow) ch_progress_begin(&stops, q->options->follow);
    return stops;
}

static void end_events(JNIEnv *env) {
    ch_control_stop();
    ch_events_stop(env);
    ch_events_undo(env);
}

/* Undoes a session that is not to go on; reports do not have it. */
static bool begun(JNIEnv *env, struct request *q, const char *what, const struct ch_stops *stops) {
    struct ch_stops back = {.at_once = stops->at_once};
    if (stops->end != CH_STOPS_ALL) {
        end_events(env);
        ch_session_undo(env, &back, &q->error);
    }
    return done(q, what, stops, false);
}

static bool attach_first(JNIEnv *env, struct request *q) {
    struct ch_stops stops = {0};
    if (!ch_tracker_define(env, &q->error) || !ch_stay_loaded() || !start(q->options, false, &q->error)) return false;
    loaded = true;
    ch_session_file_first();
    stops = stops_for(q);
    bool well = ch_session_attach(env, &stops, &q->error);
    ch_progress_end(&stops);
    if (!well) {
        ch_store_end(CH_DETACHED);
        ch_session_file_discard();
        return false;
    }
    if (stops.end == CH_STOPS_ALL) begin_events(env, &q->error);
    return begun(env, q, "attached", &stops);
}

static bool attach(JNIEnv *env, struct request *q) {
    const struct ch_options *options = q->options;
    struct ch_error *error = &q->error;
    size_t bytes;
    ch_weak_prepare(env);
    if (!loaded) return attach_first(env, q); /* in this JVM's life */
    if (!ch_tracker_is_there() || !ch_header)
        return ch_fail(error, "the agent could not be started in this JVM; restart the JVM");
    if (ch_session_is_on()) return ch_fail(error, "classhook is attached already; its data: %s", ch_store_path());
    char *rules = ch_rules_read(options->rules, &bytes, error);
    if (options->script) rules = ch_events_scripts(options->script, rules, &bytes, error);
    if (rules && options->cache) ch_cache_open(options->cache, ch_rules_hash(rules, bytes), error);
    if (!rules || !ch_session_file_begin(options->data, options->run, error)) return false;
    note_labels(options->labels);
    ch_originals_start(options->data);
    ch_measures_anew(env);
    ch_classes_anew();
    ch_loaded_anew(true);
    struct ch_stops stops = stops_for(q);
    bool well = ch_session_change(env, rules, bytes, &stops, error);
    ch_progress_end(&stops);
    if (!well) {
        ch_session_file_discard();
        return false;
    }
    if (options->script && stops.end == CH_STOPS_ALL) begin_events(env, error);
    return begun(env, q, "attached again", &stops);
}

static bool detach(JNIEnv *env, struct request *q) {
    struct ch_stops stops = {.at_once = q->options->now != NULL};
    if (loaded && !ch_session_is_on() && q->options->now && ch_postponed()) { /* what the last session left */
        ch_session_now(env, &stops, &q->error);
        return done(q, "detached", &stops, ch_header->moved);
    }
    if (!loaded || !ch_session_is_on()) return ch_fail(&q->error, "classhook is not attached");
    stops = stops_for(q);
    end_events(env);
    bool moved = ch_session_end(env, &stops, &q->error);
    ch_progress_end(&stops);
    return done(q, "detached", &stops, moved);
}

static bool control(JNIEnv *env, struct request *q) {
    if (!loaded || !ch_session_is_on()) return ch_fail(&q->error, "classhook is not attached");
    return ch_control_start(env, &q->error) && done(q, "control", &(struct ch_stops){0}, false);
}

static bool act(JNIEnv *env, struct request *q) {
    static const struct {
        const char *name;
        bool (*act)(JNIEnv *env, struct request *q);
    } actions[] = {{"attach", attach}, {"detach", detach}, {"control", control}};
    const char *wanted = q->options->action ? q->options->action : "attach";
    size_t i = 0, n = sizeof actions / sizeof *actions;
    while (i < n && strcmp(actions[i].name, wanted)) i++;
    if (i == n) return ch_fail(&q->error, "unknown action \"%s\"", wanted);
    if (!ch_session_wait())
        return ch_fail(&q->error, "another command is attaching to or detaching from this JVM; try again");
    bool framed = ch_local_frame(env, 64),
         well = framed ? actions[i].act(env, q) : ch_fail(&q->error, "no memory in the JVM");
    if (framed) (*env)->PopLocalFrame(env, NULL);
    ch_session_give();
    return well;
}

/* The library must stay in any case: woven code calls it. HotSpot lists it once: that is enough, and it forgets what
 * says no. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved) {
    static bool listed;
    struct ch_options options = {0};
    struct request q = {.options = &options, .reply = {.client = -1}};
    JNIEnv *env = NULL;
    (void)reserved;
    bool parsed = ch_options_parse(text, &options, &q.error);
    if (!ch_answer_open(options.answer)) return JNI_EINVAL;
    bool well =
        parsed && !(*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) && ch_jvm_start(vm, &q.error) && act(env, &q);
    ch_answer(&q.error, &q.reply);
    ch_reply_free(&q.reply);
    ch_options_free(&options);
    jint result = !parsed ? JNI_EINVAL : well && !listed ? JNI_OK : JNI_EEXIST;
    listed |= well;
    return result;
}
