/* Internal data of HotSpot about a class: signers, protection domain, whether it is linked.
 *
 * The first two: from JDK 25 on they are fields of the class; before that, HotSpot has them for itself: it returns the
 * domain, but only copies of the signers, which are seldom there. The array itself is found by its reference, for which
 * all threads stand still.
 */
#include "jvmpi.h"
#include <string.h>

enum { KINDS = 4, NO_KIND = 3 }; /* a tag that no id is: the lowest bits of ids are those of a kind (object_ids.c) */

bool ch_field_of(JNIEnv *env, jobject o, const char *name, const char *signature, jobject *value) {
    jclass c = (*env)->GetObjectClass(env, o);
    jfieldID f = (*env)->GetFieldID(env, c, name, signature);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, c);
    *value = f ? (*env)->GetObjectField(env, o, f) : NULL;
    return f;
}

struct asked {
    JNIEnv *env;
    jclass class;
    const char *method, *signature;
    jlong mark, tag;
    jobject found;
};

/* Runs Java. */
static void call(void *argument) {
    struct asked *a = argument;
    jclass of = (*a->env)->GetObjectClass(a->env, a->class);
    jmethodID get = (*a->env)->GetMethodID(a->env, of, a->method, a->signature);
    if (get) a->found = (*a->env)->CallObjectMethod(a->env, a->class, get);
    if ((*a->env)->ExceptionCheck(a->env)) {
        (*a->env)->ExceptionClear(a->env);
        a->found = NULL;
    }
    (*a->env)->DeleteLocalRef(a->env, of);
}

static jobject called(JNIEnv *env, jclass c, const char *method, const char *signature) {
    struct asked a = {.env = env, .class = c, .method = method, .signature = signature};
    ch_in_jvm(call, &a);
    return a.found;
}

static jint JNICALL mark_signers(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong of_class_tag, jlong size, jlong *tag, jlong *of, jint length, void *argument) {
    struct asked *a = argument;
    (void)info, (void)class_tag, (void)of_class_tag, (void)size, (void)of, (void)length;
    if (kind == JVMTI_HEAP_REFERENCE_SIGNERS) {
        if (!*tag) *tag = a->mark;
        a->tag = *tag;
    }
    return 0;
}

static void find_signers(void *argument) {
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = mark_signers};
    static uint64_t last;
    struct asked *a = argument;
    jint n = 0;
    jobject *objects = NULL;
    a->mark = (jlong)((ch_add_relaxed(&last, 1) + 1) * KINDS + NO_KIND);
    if ((*ch_jvmpi)->FollowReferences(ch_jvmpi, 0, NULL, a->class, &callbacks, a) || !a->tag) return;
    if ((*ch_jvmpi)->GetObjectsWithTags(ch_jvmpi, 1, &a->tag, &n, &objects, NULL) || !n) return;
    a->found = objects[0];
    if (a->tag == a->mark) (void)(*ch_jvmpi)->SetTag(ch_jvmpi, a->found, 0);
    ch_free(objects);
}

jobject ch_class_signers(JNIEnv *env, jclass c) {
    jobject copy = NULL;
    if (ch_field_of(env, c, "signers", "[Ljava/lang/Object;", &copy)) return copy;
    struct asked a = {.env = env, .class = c};
    copy = called(env, c, "getSigners", "()[Ljava/lang/Object;");
    if (copy) ch_in_jvm(find_signers, &a);
    if (copy) (*env)->DeleteLocalRef(env, copy);
    return a.found;
}

jobject ch_class_domain(JNIEnv *env, jclass c) {
    jobject domain = NULL;
    if (ch_field_of(env, c, "protectionDomain", "Ljava/security/ProtectionDomain;", &domain)) return domain;
    return called(env, c, "getProtectionDomain0", "()Ljava/security/ProtectionDomain;");
}

/* ---- linking */

/* Links the class by asking for its constructors, which does not initialise it; public ones, since their parameters'
 * classes are loaded. */
static void link_it(void *argument) {
    struct asked *a = argument;
    jclass of = (*a->env)->GetObjectClass(a->env, a->class);
    jmethodID get = (*a->env)->GetMethodID(a->env, of, a->method, a->signature);
    jobject all = get ? (*a->env)->CallObjectMethod(a->env, a->class, get, JNI_TRUE) : NULL;
    if ((*a->env)->ExceptionCheck(a->env))
        (*a->env)->ExceptionClear(a->env); /* it cannot be linked */
    else if (all)
        (*a->env)->DeleteLocalRef(a->env, all);
    (*a->env)->DeleteLocalRef(a->env, of);
}

/* link(class): its members are there then, unless it cannot be linked. */
PyObject *ch_class_link(PyObject *self, PyObject *number) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    (void)self;
    jclass c = env && ch_id_is_class(id) && !ch_is_down(env) ? ch_id_object(env, id) : NULL;
    struct asked a = {.env = env,
                      .class = c,
                      .method = "getDeclaredConstructors0",
                      .signature = "(Z)[Ljava/lang/reflect/Constructor;"};
    if (c) ch_in_jvm(link_it, &a);
    if (c) (*env)->DeleteLocalRef(env, c);
    Py_RETURN_NONE;
}
