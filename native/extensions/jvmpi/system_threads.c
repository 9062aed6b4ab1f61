/* Threads of the agent, the end of the JVM, collections. */
#include "jvmpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- threads */

struct running {
    void (*run)(JNIEnv *env, void *argument);
    void *argument;
};

static void JNICALL begin(jvmtiEnv *jvmti, JNIEnv *env, void *argument) {
    struct running r = *(struct running *)argument;
    (void)jvmti;
    free(argument);
    r.run(env, r.argument);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

static jthread make(JNIEnv *env, const char *name) {
    jthreadGroup *groups = NULL;
    jint n = 0;
    jclass c = ch_boot(env, "java.lang.Thread");
    jmethodID construct =
        c ? (*env)->GetMethodID(env, c, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V") : NULL;
    jstring title = construct ? (*env)->NewStringUTF(env, name) : NULL;
    if (!title || (*ch_jvmpi)->GetTopThreadGroups(ch_jvmpi, &n, &groups)) return NULL;
    jthread made = (*env)->NewObject(env, c, construct, n ? groups[0] : NULL, title);
    ch_free(groups);
    return (*env)->ExceptionCheck(env) ? NULL : made;
}

bool ch_run_thread(const char *name, jint priority, void (*run)(JNIEnv *env, void *argument), void *argument) {
    JNIEnv *env = ch_here();
    struct running *r = env && ch_local_frame(env, 16) ? malloc(sizeof *r) : NULL;
    if (!r) return false;
    *r = (struct running){run, argument};
    jthread thread = make(env, name);
    bool well = thread && !(*ch_jvmpi)->RunAgentThread(ch_jvmpi, thread, begin, r, priority);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    if (!well) free(r);
    return well;
}

struct wanted {
    const char *name;
    int priority;
    void *number;
    bool well;
};

/* It may be made in the handler of JVM_INIT_DONE, when nothing is told yet. */
static void call(JNIEnv *env, void *number) {
    enum { MOST_MS = 10000 };
    struct ch_call c = {.record = {.more = {(uintptr_t)number}}, .env = env};
    for (int i = 0; i < MOST_MS && !ch_jvmpi_tell(&c, CH_SYSTEM_THREAD, 'L'); i++) usleep(1000);
}

static void run_wanted(void *argument) {
    struct wanted *w = argument;
    w->well = ch_run_thread(w->name, w->priority, call, w->number);
}

/* system_thread(name, priority, number): a thread that calls the handler with this number. */
PyObject *ch_system_thread(PyObject *self, PyObject *args) {
    struct wanted w = {.well = false};
    unsigned long long number;
    (void)self;
    if (!PyArg_ParseTuple(args, "siK", &w.name, &w.priority, &number)) return NULL;
    w.number = (void *)(uintptr_t)number;
    if (ch_hub->runs_handler()) ch_without_gil(run_wanted, &w);
    return PyBool_FromLong(w.well);
}

/* ---- the end */

static void leave(JNIEnv *env, void *code) {
    jclass c = ch_boot(env, "java.lang.System");
    jmethodID exit = c ? (*env)->GetStaticMethodID(env, c, "exit", "(I)V") : NULL;
    if (exit) (*env)->CallStaticVoidMethod(env, c, exit, (jint)(intptr_t)code);
}

static void run_exit(void *argument) {
    struct wanted *w = argument;
    w->well = ch_run_thread("classhook exit", JVMTI_THREAD_NORM_PRIORITY, leave, w->number);
}

static int last_status;

/* The last thing that the process does: the status with which the JVM wanted to end is not known to anybody else. */
static void end_process(void) {
    fflush(NULL);
    _exit(last_status);
}

/* exit(status, last): `last`: the JVM ends already, or the agent is detached. */
PyObject *ch_exit(PyObject *self, PyObject *args) {
    static bool registered;
    int status, last;
    (void)self;
    if (!PyArg_ParseTuple(args, "ip", &status, &last)) return NULL;
    struct wanted w = {.number = (void *)(intptr_t)status};
    last_status = status;
    if (last && !registered) registered = !atexit(end_process);
    if (last && ch_is_down(ch_here())) return PyBool_FromLong(registered);
    if (ch_hub->runs_handler()) ch_without_gil(run_exit, &w);
    return PyBool_FromLong(w.well);
}

/* ---- collections */

static void collect(void *argument) {
    bool well = *(bool *)argument = ch_hub->may_collect() && !(*ch_jvmpi)->ForceGarbageCollection(ch_jvmpi);
    JNIEnv *env = well ? ch_here() : NULL;
    if (env) ch_hub->deliver(env, ch_raw_holds_up);
}

PyObject *ch_collect(PyObject *self, PyObject *unused) {
    bool well;
    (void)self, (void)unused;
    ch_in_jvm(collect, &well);
    return PyBool_FromLong(well);
}
