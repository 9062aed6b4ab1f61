/* Walks through the heap for scripts: how many objects there are by class or by tag, and the objects themselves.
 *
 * 1. All threads stand still during a walk, and its callbacks may not call the JVM. So classes get numbers beforehand,
 *    as tags in an environment that lives for one walk: the number of the class's name, by which objects are counted,
 *    or WANTED.
 * 2. Tags of scripts are in an environment of their own (object_tags.c). A walk notes them with the sizes of their
 *    objects; what they are called is found afterwards.
 * 3. Value objects are counted and not found: they can have no tags (base/value_objects.c). A value that is flat within
 *    another object is not an object.
 * 4. The JVM compares each tag that it has with each one that it is asked for, so objects with a tag of their own are
 *    asked for in small numbers.
 */
#include "events.h"
#include <stdlib.h>
#include <string.h>

enum { WANTED = 1, FOUND = 2 };

/* ---- by class */

/* Numbers the classes that match: by their names, or WANTED, and then those of value objects are left out, and told.
 * The highest number, 0: none matches. */
static uint32_t number_classes(jvmtiEnv *walk, JNIEnv *env, const char *glob, bool *left_out) {
    char name[1024];
    jclass *classes = NULL;
    jint n = 0;
    uint32_t highest = 0;
    if ((*walk)->GetLoadedClasses(walk, &n, &classes)) return 0;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (ch_type_name(classes[i], name, sizeof name) && (!glob || ch_glob(glob, name)) &&
            !ch_is_tracker(NULL, name)) {
            bool value = left_out && ch_is_value_class(walk, classes[i]);
            uint32_t number = value ? 0 : left_out ? WANTED : ch_class_number(name);
            if (value) *left_out = true;
            if (number && !(*walk)->SetTag(walk, classes[i], number) && number > highest) highest = number;
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*walk)->Deallocate(walk, (unsigned char *)classes);
    return highest;
}

static jint JNICALL count_one(jlong class_tag, jlong size, jlong *tag, jint length, void *rows) {
    struct ch_heap_row *row = (struct ch_heap_row *)rows + class_tag;
    (void)tag, (void)length;
    row->objects++;
    row->bytes += (uint64_t)size;
    return JVMTI_VISIT_OBJECTS;
}

/* Moves the rows that are not empty to the front, named by their places. */
static uint32_t compact(struct ch_heap_row *rows, uint32_t room) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < room; i++)
        if (rows[i].objects)
            rows[n++] = (struct ch_heap_row){.name = i, .objects = rows[i].objects, .bytes = rows[i].bytes};
    return n;
}

static struct ch_heap_row *by_class(jvmtiEnv *walk, JNIEnv *env, const char *glob, uint32_t *n) {
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = count_one};
    uint32_t room = number_classes(walk, env, glob, NULL) + 1;
    struct ch_heap_row *rows = calloc(room, sizeof *rows);
    if (rows && !(*walk)->IterateThroughHeap(walk, JVMTI_HEAP_FILTER_CLASS_UNTAGGED, NULL, &callbacks, rows)) {
        *n = compact(rows, room);
        return rows;
    }
    free(rows);
    return NULL;
}

static jint JNICALL find_one(jlong class_tag, jlong size, jlong *tag, jint length, void *left) {
    (void)class_tag, (void)size, (void)length;
    *tag = FOUND;
    return --*(uint32_t *)left ? JVMTI_VISIT_OBJECTS : JVMTI_VISIT_ABORT;
}

static bool of_class(jvmtiEnv *walk, JNIEnv *env, const char *glob, struct ch_heap_found *found) {
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = find_one};
    const jlong tag = FOUND;
    uint32_t left = found->most;
    if (!number_classes(walk, env, glob, &found->values)) return true; /* there is no such class */
    if ((*walk)->IterateThroughHeap(walk, JVMTI_HEAP_FILTER_CLASS_UNTAGGED, NULL, &callbacks, &left)) return false;
    return !(*walk)->GetObjectsWithTags(walk, 1, &tag, &found->n, &found->objects, NULL);
}

/* ---- by tag */

struct tagged {
    jlong tag, size;
};
struct all_tagged {
    struct tagged *all;
    size_t n, room;
    bool failed;
};

static jint JNICALL note_one(jlong class_tag, jlong size, jlong *tag, jint length, void *to) {
    struct all_tagged *t = to;
    (void)class_tag, (void)length;
    if (t->n == t->room) {
        struct tagged *more = realloc(t->all, (t->room * 2 + 1024) * sizeof *more);
        t->failed = !more;
        if (!more) return JVMTI_VISIT_ABORT;
        t->all = more;
        t->room = t->room * 2 + 1024;
    }
    t->all[t->n++] = (struct tagged){*tag, size};
    return JVMTI_VISIT_OBJECTS;
}

static bool note_all(jvmtiEnv *tags, struct all_tagged *to) {
    static const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = note_one};
    return !(*tags)->IterateThroughHeap(tags, JVMTI_HEAP_FILTER_UNTAGGED, NULL, &callbacks, to) && !to->failed;
}

static struct ch_heap_row *by_tag(jvmtiEnv *tags, uint32_t *n) {
    struct all_tagged t = {0};
    uint32_t highest = 0;
    bool well = note_all(tags, &t);
    for (size_t i = 0; well && i < t.n; i++) {
        t.all[i].tag = ch_tag_name(t.all[i].tag);
        if (t.all[i].tag > highest) highest = (uint32_t)t.all[i].tag;
    }
    struct ch_heap_row *rows = well ? calloc(highest + 1, sizeof *rows) : NULL;
    for (size_t i = 0; rows && i < t.n; i++)
        if (t.all[i].tag) count_one(t.all[i].tag, t.all[i].size, NULL, 0, rows);
    if (rows) *n = compact(rows, highest + 1);
    free(t.all);
    return rows;
}

static bool with_tag(jvmtiEnv *tags, const char *name, struct ch_heap_found *found) {
    struct all_tagged t = {0};
    uint32_t number = ch_name_number(name), n = 0;
    bool well = note_all(tags, &t);
    jlong *wanted = well ? calloc(t.n + 1, sizeof *wanted) : NULL;
    for (size_t i = 0; wanted && i < t.n && n < found->most; i++)
        if (ch_tag_name(t.all[i].tag) == number) wanted[n++] = t.all[i].tag;
    if (n) well = !(*tags)->GetObjectsWithTags(tags, (jint)n, wanted, &found->n, &found->objects, NULL);
    well &= wanted != NULL;
    free(wanted);
    free(t.all);
    return well;
}

/* ---- for scripts */

struct ch_heap_row *ch_walk_rows(JNIEnv *env, bool tags, const char *glob, uint32_t *n) {
    static const jvmtiEventCallbacks none = {0};
    jvmtiEnv *walk = tags ? ch_tags() : ch_tags_environment(&none);
    if (!walk) return NULL;
    struct ch_heap_row *rows = tags ? by_tag(walk, n) : by_class(walk, env, glob, n);
    if (!tags) (void)(*walk)->DisposeEnvironment(walk); /* it has enabled no event */
    return rows;
}

bool ch_walk_find(JNIEnv *env, const char *glob, const char *tag, struct ch_heap_found *found) {
    static const jvmtiEventCallbacks none = {0};
    jvmtiEnv *walk = tag ? ch_tags() : ch_tags_environment(&none);
    if (!walk) return false;
    bool well = tag ? with_tag(walk, tag, found) : of_class(walk, env, glob, found);
    if (!tag) (void)(*walk)->DisposeEnvironment(walk);
    return well;
}
