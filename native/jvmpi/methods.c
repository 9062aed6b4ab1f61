/* Methods that the agent was told of, by their ids: the JVM must never be asked about another one. With each, its lines, since stacks ask for
 * them again and again. The JVM never uses the id of an unloaded method again.
 */
#include "jvmpi.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096, UNKNOWN = -1, NATIVE = -3 };

struct method {
    jmethodID id; /* NULL: free */
    jvmtiLineNumberEntry *lines;
    jint n; /* -1: not asked yet */
    bool ours;
};
static struct method *methods; /* open addressing */
static size_t room, used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the JVM is not called with it held */

static struct method *place_of(jmethodID id) {
    size_t at = ((uintptr_t)id * 0x9E3779B97F4A7C15u >> 32) & (room - 1);
    while (methods[at].id && methods[at].id != id) at = (at + 1) & (room - 1);
    return &methods[at];
}

static bool grow(void) {
    size_t before = room;
    struct method *old = methods, *made = calloc(room ? room * 2 : FIRST_ROOM, sizeof *made);
    if (!made) return false;
    methods = made;
    room = room ? room * 2 : FIRST_ROOM;
    for (size_t i = 0; i < before; i++)
        if (old[i].id) *place_of(old[i].id) = old[i];
    free(old);
    return true;
}

/* The entry, copied. */
static struct method known(jmethodID id, const struct method *store) {
    struct method found = {0};
    pthread_mutex_lock(&lock);
    if (id && (used * 2 < room || grow())) {
        struct method *m = place_of(id);
        if (!m->id && store) {
            used++;
            *m = *store;
        } else if (store && m->n < 0 && store->n >= 0) {
            *m = *store;
        }
        found = *m;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint64_t ch_method(jmethodID id) { return known(id, &(struct method){.id = id, .n = -1}).id ? (uint64_t)(uintptr_t)id : 0; }

jmethodID ch_method_of(uint64_t id) { return known((jmethodID)(uintptr_t)id, NULL).id; }

static bool is_ours(jmethodID id) {
    jclass c = NULL;
    char *signature = NULL;
    JNIEnv *env = ch_here();
    bool ours = env && !(*ch_jvmpi)->GetMethodDeclaringClass(ch_jvmpi, id, &c) && !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &signature, NULL) &&
                !strcmp(signature, "Ljava/lang/ClasshookTracker;");
    ch_free(signature);
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
    jint line = UNKNOWN;
    jlocation best = -1;
    for (jint i = 0; i < m.n; i++)
        if (m.lines[i].start_location <= at && m.lines[i].start_location > best) {
            best = m.lines[i].start_location;
            line = m.lines[i].line_number;
        }
    return line;
}
