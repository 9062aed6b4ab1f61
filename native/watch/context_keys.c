/* The keys of contexts: the value at the path that a rule `context ... by` names, as text. No Java runs. */
#include "../counting/attribution.h"
#include "tracker_natives.h"
#include "watch.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 200 /* of a string */, MOST_BYTES = 3 * MOST_UNITS + 4 };

static const struct ch_way **known; /* by slot */
static const struct ch_way nothing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct ch_way *read_way(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_PROBE_CONTEXT, &class_name, &p)) return &nothing;
    char *path = ch_text_copy(p.context.path);
    const struct ch_way *way = path ? ch_way_read(path) : NULL;
    free(path);
    return way ? way : &nothing;
}

/* NULL: there is none, or no memory. */
static const struct ch_way *way_of(uint32_t slot) {
    struct ch_region r;
    const struct ch_way **all = ch_load_acquire(&known), *way = all ? ch_load_acquire(&all[slot]) : NULL;
    if (!way) {
        pthread_mutex_lock(&lock);
        if (!known && ch_region_memory(&r, ch_room.slots * sizeof *known)) ch_store_release(&known, (const struct ch_way **)r.base);
        if (known && !known[slot]) ch_store_release(&known[slot], read_way(slot));
        way = known ? known[slot] : &nothing;
        pthread_mutex_unlock(&lock);
    }
    return way == &nothing ? NULL : way;
}

static int text_of_string(JNIEnv *env, jstring s, char *to) {
    jsize n = s ? (*env)->GetStringLength(env, s) : 0, taken = n < MOST_UNITS ? n : MOST_UNITS;
    if (!s) return sprintf(to, "null");
    (*env)->GetStringUTFRegion(env, s, 0, taken, to);
    return (int)strlen(to) + (taken < n ? sprintf(to + strlen(to), "...") : 0);
}

static int text_of_class(JNIEnv *env, jobject o, char *to) {
    jclass c = (*env)->GetObjectClass(env, o);
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) return 0;
    size_t n = strlen(signature);
    bool plain = *signature == 'L' && n > 2;
    int written = snprintf(to, MOST_BYTES, "%.*s", (int)(plain ? n - 2 : n), signature + plain);
    for (char *p = to; *p; p++)
        if (*p == '/') *p = '.';
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return written < MOST_BYTES ? written : MOST_BYTES - 1;
}

static int text_of(JNIEnv *env, const struct ch_value_seen *v, char *to) {
    switch (v->kind) {
    case CH_VALUE_NULL: return sprintf(to, "null");
    case CH_VALUE_BOOLEAN: return sprintf(to, v->number ? "true" : "false");
    case CH_VALUE_CHAR: return v->number < 128 ? sprintf(to, "%c", (char)v->number) : sprintf(to, "\\u%04x", (unsigned)v->number);
    case CH_VALUE_INT: return sprintf(to, "%lld", (long long)v->number);
    case CH_VALUE_FLOAT:
    case CH_VALUE_DOUBLE: return snprintf(to, MOST_BYTES, "%g", v->real);
    case CH_VALUE_STRING: return text_of_string(env, v->object, to);
    case CH_VALUE_ENUM: return text_of_string(env, ch_name_of_enum(env, v->object), to);
    case CH_VALUE_OBJECT:
    case CH_VALUE_ARRAY: return text_of_class(env, v->object, to);
    default: return sprintf(to, "unknown");
    }
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_contextBeginsBy(JNIEnv *env, jclass c, jobject root, jint probe, jthread carrier) {
    char key[MOST_BYTES];
    (void)c;
    if (!ch_scope_may_begin(probe)) return 0;
    const struct ch_way *way = way_of((uint32_t)probe);
    struct ch_value_seen v = way ? ch_value_from(env, root, way, NULL) : (struct ch_value_seen){.kind = CH_VALUE_NONE};
    int n = text_of(env, &v, key);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return ch_scope_begin(env, carrier, (uint32_t)probe, n > 0 ? key : "?", n > 0 ? (uint32_t)n : 1);
}
