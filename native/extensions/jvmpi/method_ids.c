/* Methods that events have reported to the agent, by their ids: the JVM must never be asked about another one. With
 * each, its lines, since stacks ask for them again and again. The JVM never uses the id of an unloaded method again.
 *
 * When a class is changed, calls that are under way go on in old versions of its methods, to which the JVM gives ids of
 * their own. Stacks name such a method by the id that CLASS_LOAD told, which is that of its newest version at any time.
 */
#include "../../base/jvm_facts.h"
#include "../../base/table.h"
#include "jvmpi.h"
#include <string.h>

enum { NATIVE = -3 };

struct method {
    uint32_t hash;
    jmethodID id;
    jvmtiLineNumberEntry *lines;
    jint n; /* -1: not asked yet */
    bool ours;
    jmethodID newest; /* with the lines */
};
static CH_TABLE(struct method) methods;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the JVM is not called with it held */

static bool is_method(const void *entry, const void *id) {
    return ((const struct method *)entry)->id == *(const jmethodID *)id;
}

/* The entry, copied. */
static struct method known(jmethodID id, const struct method *store) {
    struct method found = {0};
    uint32_t hash = ch_hash_number((uintptr_t)id);
    pthread_mutex_lock(&lock);
    struct method *m = ch_table_find(&methods, hash, is_method, &id);
    if (m && store && m->n < 0 && store->n >= 0) {
        m->lines = store->lines;
        m->n = store->n;
        m->ours = store->ours;
        m->newest = store->newest;
    } else if (!m && id && store) {
        m = ch_table_add(&methods, hash, store);
    }
    if (m) found = *m;
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t ch_method(jmethodID id) {
    return known(id, &(struct method){.id = id, .n = -1}).id ? (uint64_t)(uintptr_t)id : 0;
}

jmethodID ch_method_of(uint64_t id) { return known((jmethodID)(uintptr_t)id, NULL).id; }

bool ch_class_is_ours(jclass c) {
    char *signature = NULL;
    bool ours = !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &signature, NULL) &&
                !strcmp(signature, "Ljava/lang/ClasshookTracker;");
    ch_free(signature);
    return ours;
}

static bool is_ours(jmethodID id) {
    jclass c = NULL;
    JNIEnv *env = ch_here();
    bool ours = env && !(*ch_jvmpi)->GetMethodDeclaringClass(ch_jvmpi, id, &c) && ch_class_is_ours(c);
    if (c) (*env)->DeleteLocalRef(env, c);
    return ours;
}

/* In the same class, by name and signature. */
static jmethodID newest(jmethodID id) {
    enum { STATIC = 8 };
    char *name = NULL, *signature = NULL;
    jboolean old = JNI_FALSE;
    jint modifiers = 0;
    jclass c = NULL;
    jmethodID found = NULL;
    JNIEnv *env = ch_here();
    if (!env || (*ch_jvmpi)->IsMethodObsolete(ch_jvmpi, id, &old) || !old ||
        (*ch_jvmpi)->GetMethodDeclaringClass(ch_jvmpi, id, &c))
        return id;
    if (!(*ch_jvmpi)->GetMethodModifiers(ch_jvmpi, id, &modifiers) &&
        !(*ch_jvmpi)->GetMethodName(ch_jvmpi, id, &name, &signature, NULL))
        found = modifiers & STATIC ? (*env)->GetStaticMethodID(env, c, name, signature)
                                   : (*env)->GetMethodID(env, c, name, signature);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    ch_free(name);
    ch_free(signature);
    (*env)->DeleteLocalRef(env, c);
    return found ? found : id;
}

static struct method with_lines(jmethodID id) {
    struct method m = known(id, NULL);
    if (m.id && m.n >= 0) return m;
    m = (struct method){.id = id, .ours = is_ours(id), .newest = newest(id)};
    if ((*ch_jvmpi)->GetLineNumberTable(ch_jvmpi, id, &m.n, &m.lines)) m.n = 0;
    return known(id, &m);
}

uint64_t ch_method_newest(jmethodID id) { return ch_method(with_lines(id).newest); }

bool ch_method_is_ours(jmethodID id) { return with_lines(id).ours; }

jint ch_method_line(jmethodID id, jlocation at) {
    if (at < 0) return NATIVE;
    struct method m = with_lines(id);
    return ch_line_at(m.lines, m.n, at);
}
