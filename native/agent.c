/* The agent's entry points and event handlers, in the order in which the JVM calls them.
 *
 * 1. Agent_OnLoad reads options and rules, opens the data file and requests capabilities. It always returns 0: a JVM must not fail to start
 *    because of the agent.
 * 2. VMStart defines the tracker class in java.lang.
 * 3. VMInit enables the class file load hook. Enabled earlier, it would switch off the AOT cache and class-data sharing.
 * 4. ThreadStart gives the first threads their blocks, ThreadEnd takes a thread's block back, VMDeath writes how the JVM ended.
 * 5. If all rules only sample, the hook stays off, and the capabilities to change classes are not requested.
 */
#include "classes/classes.h"
#include "options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tracker_class.h"

enum { TRAVELLING_STACKS = 21 };

static bool tracker_defined, loaded;

/* Called at VMStart: JNI is available from then on. */
static void define_tracker(JNIEnv *env) {
    bool carriers = ch_jvm_version >= CH_CARRIERS;
    jclass c = (*env)->DefineClass(env, CH_TRACKER, NULL, (const jbyte *)(carriers ? tracker_carrier : tracker_plain),
                                   carriers ? (jsize)sizeof tracker_carrier : (jsize)sizeof tracker_plain);
    tracker_defined = c && ch_jvm_prepare(env) && ch_asking_prepare(env, c);
    if (!tracker_defined) {
        (*env)->ExceptionClear(env);
        ch_say("the tracker class could not be defined (another copy of the agent?); this JVM is not instrumented");
    }
}

static bool start_tracker(JNIEnv *env) {
    enum { UNUSED_SLOTS = CH_ALLOC_SLOTS + CH_PACED_SLOTS }; /* for link in native/building/tracker.py */
    _Static_assert(CH_COUNT_SLOTS <= CH_ALLOC_SLOTS && CH_PROFILE_SLOTS <= CH_ALLOC_SLOTS, "these use an allocation's");
    jclass c = ch_boot_class(env, "java.lang.ClasshookTracker");
    jmethodID link = c ? (*env)->GetStaticMethodID(env, c, "link", "(I)V") : NULL;
    if (!link) return false;
    (*env)->CallStaticVoidMethod(env, c, link, (jint)ch_slots_take(UNUSED_SLOTS));
    return !(*env)->ExceptionCheck(env);
}

static bool records_for_aot(JNIEnv *env) {
    jclass c = ch_boot_class(env, "jdk.internal.misc.CDS");
    jmethodID asked = c ? (*env)->GetStaticMethodID(env, c, "isDumpingStaticArchive", "()Z") : NULL; /* not before JDK 24: no AOT caches */
    bool yes = asked && (*env)->CallStaticBooleanMethod(env, c, asked);
    (*env)->ExceptionClear(env);
    return yes;
}

/* Called at VMInit: Java code can be called from then on. */
static void begin_weaving(JNIEnv *env, jthread thread) {
    bool weaves = !ch_only_sampling;
    if (weaves) ch_allocation_start(env);
    if ((weaves && !(ch_filter_start(env) && ch_loaders_start(env))) || !ch_threads_find(env, thread) || !start_tracker(env)) {
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionDescribe(env);
        (*env)->ExceptionClear(env);
        ch_say("the tracker class does not work in this JVM; it is not instrumented");
        return;
    }
    if (!weaves) return;
    char program[1024] = "";
    ch_jvm_property("sun.java.command", program, sizeof program);
    ch_verdicts_start(program);
    ch_aot_recording = records_for_aot(env);
    ch_stacks_travel = ch_jvm_version >= TRAVELLING_STACKS && !ch_aot_recording;
    if (ch_has_time) ch_pace_measure();
    if (ch_has_sources && !ch_source_start(env)) ch_say("this JVM does not say which jars classes come from; rules with `from` match nothing");
    ch_hook_on = true;
    if (ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL), "the hook")) {
        ch_supertypes_start();
        ch_loaded_start(env);
    }
}

static void JNICALL vm_start(jvmtiEnv *jvmti, JNIEnv *env) {
    (void)jvmti;
    define_tracker(env);
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    if (!tracker_defined) return;
    bool samples = ch_cpu_wanted() && ch_cpu_prepare(env);
    begin_weaving(env, thread);
    if (samples) ch_cpu_start(env, thread);
    ch_clock_mark();
}

static void JNICALL thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    if (ch_cpu_wanted()) ch_java_thread_started(env, thread);
    ch_thread_started(env, thread);
}

static void JNICALL thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    ch_java_thread_ended();
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
    static const char note[] = "classes that were woven ahead of time ran, and were not counted: with no rule but `cpu` the agent looks at no class; "
                               "they are counted without that rule, or with another one beside it";
    if (ch_unnumbered_ran()) ch_meta_add(CH_META_NOTE, 0, 0, note, sizeof note - 1);
}

static void JNICALL vm_death(jvmtiEnv *jvmti, JNIEnv *env) {
    (void)jvmti, (void)env;
    ch_hook_on = false;
    ch_cpu_stop();
    if (!ch_filter_all_matched()) ch_loaded_say_names();
    ch_loaders_say_waiting();
    if (ch_only_sampling)
        say_not_counted();
    else
        ch_loaded_say_unnumbered();
    ch_sampler_stop();
    ch_clock_mark();
    ch_verdicts_keep();
    ch_store_end(is_halt() ? CH_HALT : CH_EXIT);
}

/* Whether the compiled rules are of the supported version and complete, including the last line. */
static bool is_whole(const char *path, const char *text, size_t bytes) {
    static const char first[] = "classhook-rules 3 ";
    const char *end = memrchr(text, '\n', bytes ? bytes - 1 : 0);
    if (strncmp(text, first, sizeof first - 1)) {
        ch_say("the rules %s were compiled by another version of classhook: compile them again; this JVM is not instrumented", path);
        return false;
    }
    if (text[bytes - 1] == '\n' && end && !strncmp(end + 1, "end\t", 4)) return true;
    ch_say("the compiled rules %s are damaged or cut short: compile them again; this JVM is not instrumented", path);
    return false;
}

/* As in rules/parse.py; a device might never end. */
enum { MOST_RULES = 16 << 20 };

static char *read_rules(const char *path, size_t *bytes) {
    static const char magic[] = "classhook-rules ";
    if (!path) { /* only classes woven ahead of time are counted */
        *bytes = 0;
        return strdup("");
    }
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t n = 0, room = 0;
    bool failed = false;
    if (!f) {
        ch_say("cannot read the rules %s: %m; this JVM is not instrumented", path);
        return NULL;
    }
    do {
        char *more = realloc(text, (room = room ? room * 2 : 65536) + 1);
        failed = !more;
        if (failed) break;
        text = more;
        n += fread(text + n, 1, room - n, f);
        failed = ferror(f);
    } while (n == room && room <= MOST_RULES);
    if (failed) ch_say("cannot read the rules %s: %m; this JVM is not instrumented", path);
    fclose(f);
    if (!failed && n > MOST_RULES) {
        ch_say("the rules %s are larger than 16 MiB; this JVM is not instrumented", path);
        failed = true;
    }
    if (failed) {
        free(text);
        return NULL;
    }
    text[n] = 0;
    if (strncmp(text, magic, sizeof magic - 1)) { /* rules not compiled ahead: compile them now, at the cost of startup time */
        char *compiled = ch_python_compile(path, text, n);
        free(text);
        text = compiled;
        n = text ? strlen(text) : 0;
    }
    if (text && !is_whole(path, text, n)) {
        free(text);
        return NULL;
    }
    *bytes = n;
    return text;
}

/* JVMs that this one starts are instrumented too, with the option that the launcher passes, see instrument/launch.py. */
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

/* The events, and whether each is enabled at once. The class file load hook is enabled at VMInit, ClassPrepare while a class waits for its
 * loader, or then too, if rules name supertypes. */
#define EVENTS(EVENT)                                                                \
    EVENT(VM_START, VMStart, vm_start, true)                                         \
    EVENT(VM_INIT, VMInit, vm_init, true)                                            \
    EVENT(VM_DEATH, VMDeath, vm_death, true)                                         \
    EVENT(THREAD_START, ThreadStart, thread_start, true)                             \
    EVENT(THREAD_END, ThreadEnd, thread_end, true)                                   \
    EVENT(CLASS_FILE_LOAD_HOOK, ClassFileLoadHook, ch_class_file_load_hook, false)   \
    EVENT(CLASS_PREPARE, ClassPrepare, ch_class_prepare, false)

static bool listen_to_jvm(void) {
    const jvmtiCapabilities wanted = ch_only_sampling ? (jvmtiCapabilities){0} : (jvmtiCapabilities){
        .can_generate_all_class_hook_events = 1,
        .can_retransform_classes = 1,
        .can_retransform_any_class = 1,
        .can_tag_objects = 1, /* class loaders and protection domains only */
    };
#define CALLBACK(event, field, function, now) .field = function,
    static const jvmtiEventCallbacks callbacks = {EVENTS(CALLBACK)};
#define NOW(event, field, function, now) {JVMTI_EVENT_##event, now},
    static const struct {
        jvmtiEvent event;
        bool now;
    } events[] = {EVENTS(NOW)};
    if (!ch_ok((*ch_jvmti)->AddCapabilities(ch_jvmti, &wanted), "the capabilities to retransform classes and to tag loaders")) return false;
    if (!ch_ok((*ch_jvmti)->SetEventCallbacks(ch_jvmti, &callbacks, sizeof callbacks), "event callbacks")) return false;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i].now && !ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, events[i].event, NULL), "an event")) return false;
    return true;
}

static bool start(JavaVM *vm, const char *text) {
    struct ch_options options = {0};
    size_t bytes = 0;
    pass_on_to_children();
    if (!ch_jvm_start(vm) || !ch_options_parse(text, &options)) return false;
    ch_hash_use(ch_random_key());
    ch_python_look_around();
    ch_python_start(options.pythonpath, options.libpython, options.timeout_ms);
    char *rules = read_rules(options.rules, &bytes);
    if (!rules || !ch_filter_load(rules, bytes)) return false;
    if (!ch_store_open(options.data)) return false;
    ch_guard_start(&ch_header->refused, ch_header->command, sizeof ch_header->command);
    if (!ch_meta_start() || !ch_threads_start() || !ch_pace_start() || !ch_coverage_start()) {
        ch_say("no memory for counters; this JVM is not instrumented");
        ch_store_discard();
        return false;
    }
    ch_originals_start(options.data);
    ch_clock_start();
    ch_jvm_property("java.vm.version", ch_header->jvm, sizeof ch_header->jvm);
    ch_jvm_property("java.vm.name", ch_header->jvm_name, sizeof ch_header->jvm_name);
    if (bytes) ch_meta_add(CH_META_RULES, 0, 0, rules, bytes);
    ch_python_rules(rules, bytes);
    if (options.cache && !ch_only_sampling) ch_cache_open(options.cache, rules, bytes);
    return listen_to_jvm();
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void)reserved;
    if (!loaded) start(vm, options); /* a second -agentpath for this agent changes nothing */
    loaded = true;
    return JNI_OK;
}
