/* The class file of a class that is there, and a change of it: by retransforming it, which passes it through the hooks
 * again, the weaver's first.
 *
 * 1. That is done on a thread of the agent: on the one that asks, a handler runs, so that no transformer would be
 *    called, and what transformers have made of the class would be undone.
 * 2. The one that asks waits for it, but not for ever: the agent's thread may need a lock that it holds. The last user
 *    frees the request. */
#include "../../base/waiting.h"
#include "../../base/sync.h"
#include "jvmpi.h"
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 10000 };

struct request {
    jclass class; /* a reference that lasts */
    char *name; /* its signature, as JVMTI has it */
    void *given;
    uint32_t given_bytes;
    void *found;
    uint32_t found_bytes;
    bool well;
    uint32_t users;
    sem_t done;
};
static __thread struct request *now;

void ch_class_file_give(jvmtiEnv *jvmti, const void *data, uint32_t bytes, unsigned char **new_data, jint *new_bytes) {
    unsigned char *to;
    if (!data || (*jvmti)->Allocate(jvmti, bytes, &to)) return;
    memcpy(to, data, bytes);
    *new_data = to;
    *new_bytes = (jint)bytes;
}

/* HotSpot 17 also passes the class that is retransformed with classes that the thread loads meanwhile, out of its
 * archive. */
static bool is_asked_for(JNIEnv *env, jclass redefined, const char *name) {
    return now && redefined && (*env)->IsSameObject(env, redefined, now->class) && name && now->name &&
           !strncmp(name, now->name + 1, strlen(name)) && !strcmp(now->name + 1 + strlen(name), ";");
}

bool ch_class_file_asked(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, const char *name, const unsigned char *data,
                         jint bytes, unsigned char **new_data, jint *new_bytes) {
    if (!is_asked_for(env, redefined, name)) return false;
    ch_class_file_give(jvmti, now->given, now->given_bytes, new_data, new_bytes);
    if (!now->given && !now->found && (now->found = malloc((size_t)bytes))) {
        memcpy(now->found, data, (size_t)bytes);
        now->found_bytes = (uint32_t)bytes;
    }
    return true;
}

static void leave(struct request *r) {
    if (ch_add_relaxed(&r->users, (uint32_t)-1) != 1) return;
    sem_destroy(&r->done);
    free(r->given);
    free(r->found);
    free(r);
}

static void retransform(JNIEnv *env, void *argument) {
    static const jvmtiCapabilities wanted = {.can_retransform_classes = 1};
    struct request *r = argument;
    jboolean may = JNI_FALSE;
    now = r;
    if ((*ch_jvmpi)->GetClassSignature(ch_jvmpi, r->class, &r->name, NULL)) r->name = NULL;
    /* the hook stays on, for all threads: HotSpot has it for no thread alone */
    r->well = !(*ch_jvmpi)->IsModifiableClass(ch_jvmpi, r->class, &may) && may &&
              !(*ch_jvmpi)->AddCapabilities(ch_jvmpi, &wanted) &&
              !(*ch_jvmpi)->SetEventNotificationMode(ch_jvmpi, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL) &&
              !(*ch_jvmpi)->RetransformClasses(ch_jvmpi, 1, &r->class);
    now = NULL;
    ch_free(r->name);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->DeleteGlobalRef(env, r->class);
    sem_post(&r->done);
    leave(r);
}

struct asking {
    struct request *request;
    bool done;
};

static void ask(void *argument) {
    struct asking *a = argument;
    if (!ch_run_thread("classhook class file", JVMTI_THREAD_NORM_PRIORITY, retransform, a->request)) {
        (*ch_here())->DeleteGlobalRef(ch_here(), a->request->class);
        leave(a->request);
        return;
    }
    const struct timespec until = ch_in_ms(CLOCK_REALTIME, PATIENCE_MS);
    a->done = !sem_timedwait(&a->request->done, &until);
}

/* Sends the request, and frees the data; NULL: that failed, or takes too long. */
static struct request *asked(PyObject *number, void *data, uint32_t bytes) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    jclass c = env && ch_id_is_class(id) ? ch_id_object(env, id) : NULL;
    struct asking a = {c && ch_hub->runs_handler() ? calloc(1, sizeof *a.request) : NULL, false};
    if (!a.request) {
        free(data);
        if (c) (*env)->DeleteLocalRef(env, c);
        return NULL;
    }
    bool before = ch_jvmpi_quiet;
    ch_jvmpi_quiet = true;
    *a.request =
        (struct request){.class = (*env)->NewGlobalRef(env, c), .given = data, .given_bytes = bytes, .users = 2};
    ch_jvmpi_quiet = before;
    sem_init(&a.request->done, 0, 0);
    (*env)->DeleteLocalRef(env, c);
    ch_in_jvm(ask, &a);
    if (a.done && a.request->well) return a.request;
    leave(a.request);
    return NULL;
}

/* class_file(class): bytes; None: the JVM does not let it be changed, or it is gone. */
PyObject *ch_class_file(PyObject *self, PyObject *number) {
    struct request *r = asked(number, NULL, 0);
    (void)self;
    PyObject *data =
        r && r->found ? PyBytes_FromStringAndSize(r->found, (Py_ssize_t)r->found_bytes) : Py_NewRef(Py_None);
    if (r) leave(r);
    return data;
}

/* change_class(class, bytes): whether the JVM has taken it. */
PyObject *ch_change_class(PyObject *self, PyObject *args) {
    PyObject *number, *data;
    (void)self;
    if (!PyArg_ParseTuple(args, "OS", &number, &data)) return NULL;
    Py_ssize_t n = PyBytes_GET_SIZE(data);
    void *copy = n > 0 && n <= INT32_MAX ? malloc((size_t)n) : NULL;
    if (copy) memcpy(copy, PyBytes_AS_STRING(data), (size_t)n);
    struct request *r = copy ? asked(number, copy, (uint32_t)n) : NULL;
    if (r) leave(r);
    return PyBool_FromLong(r != NULL);
}
