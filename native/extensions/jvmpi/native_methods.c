/* Calls of native methods: METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT, if a script asks for them.
 *
 * 1. When the JVM binds a native method (NativeMethodBind), it is given a stub of ours (native_stubs.c), which leads to
 *    the function that it had found. No class is changed. A stub stays, and looks whether it is asked for.
 * 2. Python says at the first call, and again when events have been enabled or disabled, which of the events name the
 *    method.
 * 3. Python cannot run while the JVM exchanges a virtual thread, so the methods for that are left out; so
 *    are those that JIT compilers replace.
 * 4. The method's exception, if there is one, is as it was when this has ended.
 */
#include "native_methods.h"
#include "jvmpi.h"

enum { ENTRY = 1, ENTRY2 = 2, EXIT = 3, EVENTS = 3 /* bits, by number - 1 */, NAMED = (1 << EVENTS) - 1 };
enum { STATIC = 8, OF_JDK = 1 << 16 };

struct native {
    jmethodID method;
    void *function;
    uint32_t events; /* the turn in which Python was asked, and what it said */
    bool known, barred; /* `known`: this and what follows is there */
    uint32_t words, modifiers;
};
static struct native natives[CH_NATIVE_STUBS];
static uint32_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the two */
static uint32_t turn = 1;
static bool on[EXIT + 1];
static bool (*tell)(JNIEnv *env, uint32_t type, uint64_t a, uint64_t b, int64_t more);

void ch_natives_enable(uint32_t type, bool wanted) {
    ch_store_relaxed(&on[type], wanted);
    ch_store_relaxed(&on[0], on[ENTRY] || on[ENTRY2] || on[EXIT]);
}

/* ---- what is known of them */

static bool begins(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

static bool is_barred(const char *class_signature, const char *method) {
    static const struct {
        const char *of, *methods;
    } barred[] = {
        {"Ljava/lang/ClasshookTracker;", ""}, {"Ljava/lang/VirtualThread", ""},  {"Ljdk/internal/vm/", ""},
        {"Ljdk/internal/misc/Unsafe;", ""},   {"Ljava/lang/Thread;", "current"}, {"Ljava/lang/Thread;", "set"},
        {"Ljava/lang/Thread;", "clear"},      {"Ljava/lang/Thread;", "ensure"},  {"Ljava/lang/Thread;", "scoped"}};
    size_t i = 0;
    while (i < sizeof barred / sizeof *barred &&
           !(begins(class_signature, barred[i].of) && begins(method, barred[i].methods)))
        i++;
    return i < sizeof barred / sizeof *barred;
}

/* Not before the JVM lets agents ask. */
static struct native learnt(JNIEnv *env, jmethodID method) {
    struct native found = {.method = method}, *n = &found;
    char *name = NULL, *descriptor = NULL, *of = NULL;
    jint modifiers = 0;
    jclass c = NULL;
    jobject loader = NULL;
    if (!(*ch_jvmpi)->GetMethodModifiers(ch_jvmpi, n->method, &modifiers) &&
        !(*ch_jvmpi)->GetMethodName(ch_jvmpi, n->method, &name, &descriptor, NULL) &&
        !(*ch_jvmpi)->GetMethodDeclaringClass(ch_jvmpi, n->method, &c) &&
        !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &of, NULL) && !(*ch_jvmpi)->GetClassLoader(ch_jvmpi, c, &loader)) {
        n->words = ch_native_words(descriptor);
        n->modifiers = (uint32_t)modifiers | (loader ? 0 : OF_JDK);
        n->barred = is_barred(of, name);
        n->known = ch_method(n->method) != 0;
    }
    if (loader) (*env)->DeleteLocalRef(env, loader);
    if (c) (*env)->DeleteLocalRef(env, c);
    ch_free(of);
    ch_free(descriptor);
    ch_free(name);
    return found;
}

static bool is_known(JNIEnv *env, struct native *n) {
    if (ch_load_acquire(&n->known)) return true;
    struct native found = learnt(env, n->method);
    pthread_mutex_lock(&lock);
    if (!n->known && found.known) {
        n->words = found.words;
        n->modifiers = found.modifiers;
        n->barred = found.barred;
        ch_store_release(&n->known, true);
    }
    pthread_mutex_unlock(&lock);
    return found.known;
}

/* ---- when they are bound */

static bool is_gone(jmethodID method) {
    jint modifiers;
    return (*ch_jvmpi)->GetMethodModifiers(ch_jvmpi, method, &modifiers) == JVMTI_ERROR_INVALID_METHODID;
}

/* When all have been given away: one of a class that was unloaded. The JVM is not called with the lock held. */
static jmethodID find_gone(void) {
    uint32_t i = 0;
    if (ch_load_acquire(&used) < CH_NATIVE_STUBS) return NULL;
    while (i < CH_NATIVE_STUBS && !is_gone(natives[i].method)) i++;
    return i < CH_NATIVE_STUBS ? natives[i].method : NULL;
}

static uint32_t place_of(jmethodID method) {
    uint32_t i = 0;
    while (i < used && natives[i].method != method) i++;
    return i;
}

void ch_native_method_bound(JNIEnv *env, jmethodID method, void **instead) {
    char *given = *instead;
    if (!ch_load_relaxed(&on[0]) || (given >= ch_native_stubs && given <= (char *)ch_native_stub(CH_NATIVE_STUBS - 1)))
        return;
    struct native found = learnt(env, method);
    jmethodID gone = found.barred ? NULL : find_gone();
    if (found.barred) return;
    pthread_mutex_lock(&lock);
    uint32_t i = place_of(method);
    if (i == CH_NATIVE_STUBS && gone) i = place_of(gone);
    struct native *n = i < CH_NATIVE_STUBS ? &natives[i] : NULL;
    if (n && (i == used || n->method != method)) *n = found;
    if (n) ch_store_release(&n->function, *instead);
    if (n && i == used) ch_store_release(&used, used + 1);
    pthread_mutex_unlock(&lock);
    if (n) *instead = ch_native_stub(i);
}

/* ---- which events name them */

static uint32_t said(const struct native *n) { return ch_load_acquire(&n->events); }
static bool is_recent(const struct native *n) { return said(n) >> EVENTS == ch_load_relaxed(&turn); }

/* Asks Python, unless nobody can get the event anyway. */
static void ask(JNIEnv *env, struct native *n) {
    if (!is_known(env, n)) return;
    if (n->barred)
        ch_store_release(&n->events, ch_load_relaxed(&turn) << EVENTS);
    else
        tell(env, CH_NATIVE_METHOD, (uint64_t)(uintptr_t)n->method, (uint64_t)(n - natives), n->modifiers);
}

/* native_wanted(place, events) */
PyObject *ch_native_wanted(PyObject *self, PyObject *args) {
    unsigned place, events;
    (void)self;
    if (!PyArg_ParseTuple(args, "II", &place, &events)) return NULL;
    if (place < CH_NATIVE_STUBS) ch_store_release(&natives[place].events, ch_load_relaxed(&turn) << EVENTS | events);
    Py_RETURN_NONE;
}

/* natives_changed(): Python is to be asked again. */
PyObject *ch_natives_changed(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    ch_add_relaxed(&turn, 1);
    Py_RETURN_NONE;
}

/* ---- calls */

static bool is_told(const struct native *n, uint32_t type) {
    return said(n) & 1u << (type - 1) && ch_load_relaxed(&on[type]);
}

static struct ch_native_way enters(uint64_t number, JNIEnv *env, jobject self) {
    struct native *n = &natives[number];
    struct ch_native_way way = {ch_load_acquire(&n->function), -1};
    if (!ch_load_relaxed(&on[0])) return way;
    if (!is_recent(n) && !ch_hub->runs_handler()) ask(env, n);
    if (!is_recent(n) || !(said(n) & NAMED) || ch_hub->runs_handler()) return way;
    uint64_t method = (uint64_t)(uintptr_t)n->method;
    if (is_told(n, ENTRY)) tell(env, ENTRY, method, 0, 0);
    if (is_told(n, ENTRY2)) tell(env, ENTRY2, method, n->modifiers & STATIC ? 0 : ch_id(env, self), 0);
    way.words = n->words;
    return way;
}

static void leaves(uint64_t number, JNIEnv *env) {
    struct native *n = &natives[number];
    if (!is_told(n, EXIT)) return;
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    if (thrown) (*env)->ExceptionClear(env);
    tell(env, EXIT, (uint64_t)(uintptr_t)n->method, 0, 0);
    if (!thrown) return;
    (*env)->Throw(env, thrown);
    (*env)->DeleteLocalRef(env, thrown);
}

void ch_natives_tell(bool (*to)(JNIEnv *env, uint32_t type, uint64_t a, uint64_t b, int64_t more)) {
    tell = to;
    ch_native_enters = enters;
    ch_native_leaves = leaves;
}
