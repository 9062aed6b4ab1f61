/* Methods that events have reported to the agent, by their ids: the JVM must never be asked about another one. With each, its lines, since stacks ask for
 * them again and again. The JVM never uses the id of an unloaded method again.
 */
#include "../base/jvm_facts.h"
#include "../base/table.h"
#include "jvmpi.h"
#include <string.h>

enum { NATIVE = -3 };

struct method {
    uint32_t hash;
    jmethodID id;
    jvmtiLineNumberEntry *lines;
    jint n; /* -1: not asked yet */
    bool ours;
};
static CH_TABLE(struct method) methods;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the JVM is not called with it held */

static bool is_method(const void *entry, const void *id) { return ((const struct method *)entry)->id == *(const jmethodID *)id; }

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
    } else if (!m && id && store) {
        m = ch_table_add(&methods, hash, store);
    }
    if (m) found = *m;
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t ch_method(jmethodID id) { return known(id, &(struct method){.id = id, .n = -1}).id ? (uint64_t)(uintptr_t)id : 0; }

jmethodID ch_method_of(uint64_t id) { return known((jmethodID)(uintptr_t)id, NULL).id; }

bool ch_class_is_ours(jclass c) {
    char *signature = NULL;
    bool ours = !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &signature, NULL) && !strcmp(signature, "Ljava/lang/ClasshookTracker;");
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

static struct method with_lines(jmethodID id) {
    struct method m = known(id, NULL);
    if (m.id && m.n >= 0) return m;
    m = (struct method){.id = id, .ours = is_ours(id)};
    if ((*ch_jvmpi)->GetLineNumberTable(ch_jvmpi, id, &m.n, &m.lines)) m.n = 0;
    return known(id, &m);
}

bool ch_method_is_ours(jmethodID id) { return with_lines(id).ours; }

jint ch_method_line(jmethodID id, jlocation at) {
    if (at < 0) return NATIVE;
    struct method m = with_lines(id);
    return ch_line_at(m.lines, m.n, at);
}
