/* The span of OpenTelemetry that a thread is in, from which its trace can be found.
 *
 * 1. It is what Span.current() returns: where spans are kept is no part of the API, and the program may change it. So
 *    this runs Java, which nothing else in this layer does: only for a call that is recorded, so that others cost
 *    nothing more, and what it runs is not counted (ch_silence).
 * 2. Nothing of the API is initialised for it, since that runs code that depends on the thread (a ServiceLoader).
 *    Before the program's first span there is none to be asked for.
 * 3. A JVM may have several copies of the API: that of OpenTelemetry's agent, which has another prefix and is the boot
 *    loader's, and one for each web application. They are looked for when a session begins, and after the hook has seen
 *    that a class Span is being defined. If a thread is in spans of several copies, that of the copy found last is
 *    taken. */
#include "../base/jdk_members.h"
#include "watch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN "io/opentelemetry/api/trace/Span" /* behind any prefix: agents have a copy of their own */

enum {
    PREFIX = 128 /* characters, at most */,
    MOST_COPIES = 64 /* that are loaded */,
    REFERENCES = 32,
    MOST_LOOKS = 8 /* for a class that was being defined: perhaps it never is */,
    MORE = 20 /* times as long as it took, they are not looked for again */
};

struct copy {
    jweak span, span_context; /* the interfaces */
    jmethodID current, context, trace_id,
        span_id; /* Span.current(), getSpanContext(); SpanContext.getTraceId(), getSpanId() */
    bool tried, ready; /* tried: these were looked for, once; ready: they are known */
    struct copy *next;
    char prefix[PREFIX]; /* of its packages: `io/opentelemetry/javaagent/shaded/`, or empty */
};
static struct copy *copies; /* what is taken out of it stays as it is: a thread may be reading it */
static uint32_t number; /* of copies */
static uint32_t defined_spans; /* classes of this name whose bytes the hook has seen: they are loaded then, or soon */

static bool is_span(const char *name) {
    size_t n = strlen(name), of_span = strlen(SPAN);
    return n >= of_span && !memcmp(name + n - of_span, SPAN, of_span);
}

void ch_span_defined(const char *class_name) {
    if (is_span(class_name)) ch_add_relaxed(&defined_spans, 1);
}

/* ---- looking for copies */

static bool is_known(JNIEnv *env, jclass c) {
    const struct copy *one = ch_load_acquire(&copies);
    while (one && !(*env)->IsSameObject(env, one->span, c)) one = one->next;
    return one;
}

static bool add(JNIEnv *env, jclass c, const char *name) {
    size_t n = strlen(name) - strlen(SPAN);
    struct copy *one = n < PREFIX && number < MOST_COPIES ? calloc(1, sizeof *one) : NULL;
    if (!one) return false;
    number++;
    memcpy(one->prefix, name, n);
    one->span = (*env)->NewWeakGlobalRef(env, c);
    ch_push(&copies, one, next);
    return true;
}

/* True if it is a class Span that was not known. */
static bool is_new(JNIEnv *env, jclass c) {
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) return false;
    char *end = strrchr(signature, ';'); /* Lname; or an array */
    if (end) *end = 0;
    bool yes = *signature == 'L' && is_span(signature + 1) && !is_known(env, c) && add(env, c, signature + 1);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return yes;
}

static void drop_unloaded(JNIEnv *env) {
    for (struct copy **at = &copies; *at;) {
        struct copy *one = *at;
        if ((*env)->IsSameObject(env, one->span, NULL)) {
            ch_store_release(at, one->next);
            number--;
        } else {
            at = &one->next;
        }
    }
}

static uint32_t look(JNIEnv *env) {
    jclass *all = NULL;
    jint n = 0;
    uint32_t found = 0;
    if (!ch_local_frame(env, REFERENCES)) return 0;
    drop_unloaded(env);
    if (!(*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &all) && ch_local_room(env, n + REFERENCES))
        for (jint i = 0; i < n; i++) found += is_new(env, all[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    (*env)->PopLocalFrame(env, NULL);
    return found;
}

/* One thread at a time; all the others go on without. `anew`: also if no class was defined that is not known. */
static void look_if_defined(JNIEnv *env, bool anew) {
    static bool looking;
    static uint32_t settled,
        tries; /* settled: of the classes that were being defined, how many are known or given up */
    static uint64_t next_ns;
    uint32_t defined = ch_load_relaxed(&defined_spans), found = 0;
    if ((!anew && defined == ch_load_relaxed(&settled)) || ch_exchange_acquire(&looking, true)) return;
    uint64_t now = ch_monotonic_ns();
    if (anew || now >= next_ns) {
        found = look(env);
        tries = found ? 0 : tries + 1;
        bool all = found >= defined - settled || tries >= MOST_LOOKS;
        ch_store_relaxed(&settled, all ? defined : settled + found);
        next_ns = now + (MORE + 1) * (ch_monotonic_ns() - now);
    }
    ch_store_release(&looking, false);
}

void ch_spans_start(JNIEnv *env) { look_if_defined(env, true); }

/* ---- what a copy's methods are */

static bool is_initialised(jclass c) {
    jint status = 0;
    return !(*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) && status & JVMTI_CLASS_STATUS_INITIALIZED;
}

/* A class of the copy, if this loader has it. Only the boot loader may load it now, which runs no Java. */
static jclass loaded(JNIEnv *env, const struct copy *one, jobject loader, const char *name) {
    char whole[PREFIX + 64];
    snprintf(whole, sizeof whole, "%s%s", one->prefix, name);
    for (char *p = whole; *p; p++)
        if (*p == '/') *p = '.';
    if (!loader) return ch_boot_class(env, whole);
    jmethodID find = ch_jdk_method(env, CH_JDK_FIND_LOADED_CLASS, NULL);
    jstring text = find ? (*env)->NewStringUTF(env, whole) : NULL;
    jclass c = text ? (*env)->CallObjectMethod(env, loader, find, text) : NULL;
    if (!(*env)->ExceptionCheck(env)) return c;
    (*env)->ExceptionClear(env);
    return NULL;
}

/* True if the program has used spans and contexts: all classes that Span.current() needs are initialised. Where
 * the stack has little room left, or in a class loader that is loading one of them, initialising would fail, and the
 * class would be lost to the program. LazyStorage chooses where contexts are kept when it is initialised; it is beside
 * an interface that Span extends, which may be another loader's. */
static bool is_used(JNIEnv *env, const struct copy *one, jclass span) {
    static const char *const beside[] = {"io/opentelemetry/api/trace/SpanContextKey",
                                         "io/opentelemetry/api/trace/PropagatedSpan"};
    jclass *above = NULL, storage = NULL;
    jobject own = NULL;
    jint n = 0;
    if (!is_initialised(span) || (*ch_jvmti)->GetClassLoader(ch_jvmti, span, &own)) return false;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        jclass c = loaded(env, one, own, beside[i]);
        if (!c || !is_initialised(c)) return false;
    }
    if ((*ch_jvmti)->GetImplementedInterfaces(ch_jvmti, span, &n, &above)) return false;
    for (jint i = 0; i < n && !storage; i++) {
        jobject loader = NULL;
        if (!(*ch_jvmti)->GetClassLoader(ch_jvmti, above[i], &loader))
            storage = loaded(env, one, loader, "io/opentelemetry/context/LazyStorage");
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)above);
    return storage && is_initialised(storage);
}

static jmethodID method(JNIEnv *env, jclass c, const char *name, const char *prefix, const char *type, bool is_static) {
    char descriptor[PREFIX + 64];
    snprintf(descriptor, sizeof descriptor, "()L%s%s;", prefix, type);
    jmethodID found =
        is_static ? (*env)->GetStaticMethodID(env, c, name, descriptor) : (*env)->GetMethodID(env, c, name, descriptor);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return found;
}

static bool find_methods(JNIEnv *env, struct copy *one, jclass span) {
    static const char of_context[] = "io/opentelemetry/api/trace/SpanContext";
    jobject loader = NULL;
    if ((*ch_jvmti)->GetClassLoader(ch_jvmti, span, &loader)) return false;
    jclass context = loaded(env, one, loader, of_context);
    if (!context) return false;
    one->span_context = (*env)->NewWeakGlobalRef(env, context);
    one->current = method(env, span, "current", one->prefix, SPAN, true);
    one->context = method(env, span, "getSpanContext", one->prefix, of_context, false);
    one->trace_id = method(env, context, "getTraceId", "", "java/lang/String", false);
    one->span_id = method(env, context, "getSpanId", "", "java/lang/String", false);
    return one->current && one->context && one->trace_id && one->span_id;
}

static bool is_ready(JNIEnv *env, struct copy *one, jclass span) {
    if (ch_load_acquire(&one->ready)) return true;
    if (ch_load_relaxed(&one->tried) || !is_used(env, one, span) || ch_exchange_acquire(&one->tried, true))
        return false;
    bool ready = find_methods(env, one, span);
    ch_store_release(&one->ready, ready);
    return ready;
}

/* ---- asking */

/* The result of a method; NULL if it threw, which nobody notices. */
static jobject returned(JNIEnv *env, jobject result) {
    if (!(*env)->ExceptionCheck(env)) return result;
    (*env)->ExceptionClear(env);
    return NULL;
}

/* The verifier lets any object pass for an interface; JNI does not look. */
static bool is_a(JNIEnv *env, jobject object, jclass c) { return object && c && (*env)->IsInstanceOf(env, object, c); }

static bool read_digit(jchar c, uint8_t *to) {
    if (c >= '0' && c <= '9')
        *to = (uint8_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *to = (uint8_t)(c - 'a' + 10);
    else
        return false;
    return true;
}

/* Reads an id of lower-case hexadecimal digits, as the API has it; false: it is not an id, as all zeros. */
static bool read_id(JNIEnv *env, jstring text, uint8_t *to, int bytes) {
    jchar digits[2 * CH_TRACE_ID];
    uint8_t high, low;
    bool any = false;
    if (!text || (*env)->GetStringLength(env, text) != 2 * bytes) return false;
    (*env)->GetStringRegion(env, text, 0, 2 * bytes, digits);
    for (int i = 0; i < bytes; i++) {
        if (!read_digit(digits[2 * i], &high) || !read_digit(digits[2 * i + 1], &low)) return false;
        to[i] = (uint8_t)(high << 4 | low);
        any |= to[i] != 0;
    }
    return any;
}

static bool ask(JNIEnv *env, struct copy *one, struct ch_span_ids *ids) {
    jclass spans = (*env)->NewLocalRef(env, one->span); /* NULL: it is unloaded */
    if (!spans || !is_ready(env, one, spans)) return false;
    jclass contexts = (*env)->NewLocalRef(env, one->span_context);
    jobject span = returned(env, (*env)->CallStaticObjectMethod(env, spans, one->current));
    jobject context = is_a(env, span, spans) ? returned(env, (*env)->CallObjectMethod(env, span, one->context)) : NULL;
    if (!is_a(env, context, contexts)) return false;
    jstring trace = returned(env, (*env)->CallObjectMethod(env, context, one->trace_id));
    jstring id = returned(env, (*env)->CallObjectMethod(env, context, one->span_id));
    return read_id(env, trace, ids->trace_id, CH_TRACE_ID) && read_id(env, id, ids->span_id, CH_SPAN_ID);
}

struct ch_span_ids ch_current_span(JNIEnv *env) {
    struct ch_span_ids found = {0}, ids = {0};
    struct ch_silence silence = {0};
    look_if_defined(env, false);
    struct copy *one = ch_load_acquire(&copies);
    if (!one) return found;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* of reading values: the program does not hear of it */
    ch_silence(env, &silence); /* it runs Java, too: where the stack has no room left, it fails, and nothing is asked */
    for (bool known = !silence.thread; one && !known; one = ch_load_acquire(&one->next)) {
        if (!ch_local_frame(env, REFERENCES)) break;
        if ((known = ask(env, one, &ids))) found = ids;
        (*env)->PopLocalFrame(env, NULL);
    }
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    ch_silence_end(env, &silence);
    return found;
}
