/* Which of the profiled methods compiled code belongs to.
 *
 * 1. The path of a thread ends with the method entered last that has code for it. Methods that are too short for that
 *    are only counted, and others may be between their entry and that code. Where the JIT has compiled them, the code
 *    in which a thread was (code_map.c) names them.
 * 2. Compiled code has jmethodIDs, and probes have slots, so methods are compared by their names. A name is a keyed
 *    hash of class, method and descriptor. The agent asks for the name of a compiled method when its code comes; later,
 *    the method may be unloaded. Of several classes with one name, the class woven last gets the time; reports add them
 *    up.
 * 3. From the innermost method outwards, those that are profiled are added below the path, up to one that is on it. The
 *    thread has left the frames that the path has below that one: the JIT may move the store that ends a frame behind
 *    other code.
 * 4. Code of the tracker that was inlined into a method is part of a probe. Its time belongs to no method.
 */
#include "profiled_methods.h"
#include "../table/probe_table.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OF_PROBES UINT64_MAX /* the name of every method of the tracker */
enum {
    LAST = 32, /* frames of the path among which those of compiled code are looked for */
    BELOW_PROBE = 3 /* the innermost frames among which the tracker's may be: it calls methods of the JDK */
};

struct named_slot {
    uint32_t hash, slot;
    uint64_t name;
};
struct by_method {
    uint32_t hash;
    jmethodID method;
    uint64_t name;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CH_TABLE(struct named_slot) slots; /* by slot */
static CH_TABLE(struct named_slot) names; /* by name, only of methods that may be below a path */
static CH_TABLE(struct by_method) methods;

/* ---- names */

static uint64_t name_of(const char *class_name, size_t bytes, const char *method, const char *descriptor) {
    struct ch_key key = ch_hash_own((struct ch_key){0, 0}, class_name, bytes);
    key = ch_hash_own(key, method, strlen(method));
    return ch_hash_own(key, descriptor, strlen(descriptor)).low;
}

static uint32_t hash_of(jmethodID method) { return ch_hash_number((uint64_t)(uintptr_t)method); }

static bool is_slot(const void *entry, const void *slot) {
    return ((const struct named_slot *)entry)->slot == *(const uint32_t *)slot;
}
static bool is_name(const void *entry, const void *name) {
    return ((const struct named_slot *)entry)->name == *(const uint64_t *)name;
}
static bool is_method(const void *entry, const void *method) {
    return ((const struct by_method *)entry)->method == *(const jmethodID *)method;
}

/* ---- of probes */

static void add(uint32_t slot, uint64_t name, bool below) {
    pthread_mutex_lock(&lock);
    if (!ch_table_find(&slots, ch_hash_number(slot), is_slot, &slot))
        ch_table_add(&slots, ch_hash_number(slot), &(struct named_slot){.slot = slot, .name = name});
    struct named_slot *known = below ? ch_table_find(&names, (uint32_t)name, is_name, &name) : NULL;
    if (known)
        known->slot = slot;
    else if (below)
        ch_table_add(&names, (uint32_t)name, &(struct named_slot){.slot = slot, .name = name});
    pthread_mutex_unlock(&lock);
}

static void add_probe(const struct ch_probe *p, const char *class_name, uint32_t slot) {
    bool below = p->kind == CH_PROBE_PROFILE || p->kind == CH_PROBE_PROFILE_SHORT;
    if (!below && p->kind != CH_PROBE_TIME && p->kind != CH_PROBE_TIME_TREE && p->kind != CH_PROBE_TIME_SAMPLE) return;
    char *method = ch_text_copy(p->method), *descriptor = ch_text_copy(p->descriptor);
    if (method && descriptor) add(slot, name_of(class_name, strlen(class_name), method, descriptor), below);
    free(method);
    free(descriptor);
}

void ch_profiled_add(const struct ch_woven_class *woven) {
    struct ch_line class;
    if (!ch_probe_table_has(woven->table, woven->bytes, CH_LINE_CLASS, &class)) return;
    char *class_name = ch_text_copy(class.class.name);
    struct ch_probe_table t = ch_probe_table_of(woven->table, woven->bytes);
    struct ch_probe p;
    for (char *c = class_name; c && *c; c++)
        if (*c == '.') *c = '/';
    while (class_name && ch_probe_table_next_probe(&t, &p)) add_probe(&p, class_name, woven->first_slot + p.slot);
    free(class_name);
}

/* ---- of compiled code */

/* 0: it is unloaded. */
static uint64_t asked_name(JNIEnv *env, jmethodID method) {
    jclass class = NULL;
    char *signature = NULL, *called = NULL, *descriptor = NULL;
    uint64_t name = 0;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, method, &class)) return 0;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL) &&
        !(*ch_jvmti)->GetMethodName(ch_jvmti, method, &called, &descriptor, NULL) && strlen(signature) > 2)
        name = !strcmp(signature, "L" CH_TRACKER ";")
                   ? OF_PROBES
                   : name_of(signature + 1, strlen(signature) - 2, called, descriptor);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)called);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
    (*env)->DeleteLocalRef(env, class);
    return name;
}

void ch_profiled_note(jmethodID method) {
    JNIEnv *env = NULL;
    pthread_mutex_lock(&lock);
    bool known = ch_table_find(&methods, hash_of(method), is_method, &method);
    pthread_mutex_unlock(&lock);
    if (known || (*ch_vm)->GetEnv(ch_vm, (void **)&env, JNI_VERSION_1_6)) return;
    uint64_t name = asked_name(env, method);
    pthread_mutex_lock(&lock);
    if (!ch_table_find(&methods, hash_of(method), is_method, &method))
        ch_table_add(&methods, hash_of(method), &(struct by_method){.method = method, .name = name});
    pthread_mutex_unlock(&lock);
}

/* ---- below a path */

/* How many frames the path has up to the last one of the method; 0: it is not among the last ones. */
static uint32_t up_to(const struct ch_tick_path *path, uint64_t name) {
    for (uint32_t i = path->frames, n = 0; i > 0 && n < LAST; i--, n++) {
        uint32_t slot = path->slots[i - 1];
        const struct named_slot *known = ch_table_find(&slots, ch_hash_number(slot), is_slot, &slot);
        if (known && known->name == name) return i;
    }
    return 0;
}

/* How many frames stay, of which `least` are known to: what is behind them was left, up to the last context or method
 * whose name is not known here. */
static uint32_t kept(const struct ch_tick_path *path, uint32_t least) {
    uint32_t n = path->frames;
    for (; n > least; n--)
        if (!ch_table_find(&slots, ch_hash_number(path->slots[n - 1]), is_slot, &path->slots[n - 1])) break;
    return n;
}

bool ch_profiled_in_probe(const struct ch_code_place *code) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; !found && i < code->n && i < BELOW_PROBE; i++) {
        jmethodID method = code->frames[i].method;
        const struct by_method *known = ch_table_find(&methods, hash_of(method), is_method, &method);
        found = known && known->name == OF_PROBES;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t ch_profiled_node(struct ch_calls *calls, uint32_t node, const struct ch_tick_path *path,
                          const struct ch_code_place *code) {
    uint32_t below[CH_CODE_DEPTH], n = 0, frames = path->frames, found;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < code->n; i++) {
        jmethodID method = code->frames[i].method;
        const struct by_method *known = ch_table_find(&methods, hash_of(method), is_method, &method);
        if (!known || !known->name) continue;
        if ((found = up_to(path, known->name))) {
            frames = kept(path, found);
            break;
        }
        const struct named_slot *profiled = ch_table_find(&names, (uint32_t)known->name, is_name, &known->name);
        if (profiled) below[n++] = profiled->slot;
    }
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < frames; i++) node = ch_calls_node(calls, node, path->slots[i]);
    while (n) node = ch_calls_node(calls, node, below[--n]);
    return node;
}
