/* The value at the end of a way. A null on a way is its value; a field that an object does not have is no value. */
#include "watch.h"
#include <string.h>

static const struct ch_value_seen none = {.kind = CH_VALUE_NONE}, unset = {.kind = CH_VALUE_UNSET};

static struct ch_value_seen number(int64_t n) {
    return (struct ch_value_seen){.kind = CH_VALUE_INT, .number = n, .real = (double)n};
}

/* The object at a root, and its type's letter. False: there is nothing. */
static bool root_object(const struct ch_activation *a, int root, jobject *object, char *letter) {
    JNIEnv *env = a->env;
    *letter = 'L';
    if (root == CH_ROOT_RESULT) {
        *letter = a->watch->result;
        *object = a->value;
        return a->ended && !a->threw && *letter != 'V';
    }
    if (root == CH_ROOT_EXCEPTION) {
        *object = a->threw ? a->value : NULL;
        return true;
    }
    if (root >= 0 && (uint32_t)root >= a->watch->arguments) return false;
    if (root >= 0) *letter = a->watch->types[root];
    *object = (*env)->GetObjectArrayElement(env, a->kept, root == CH_ROOT_THIS ? 0 : root + 1);
    return true;
}

static struct ch_value_seen length_of(JNIEnv *env, const struct ch_value_seen *v) {
    if (v->kind == CH_VALUE_ARRAY) return number((*env)->GetArrayLength(env, v->object));
    return v->kind == CH_VALUE_STRING ? number((*env)->GetStringLength(env, v->object)) : none;
}

/* `size` and elements of the JDK's collections are found before fields of these names. */
static struct ch_value_seen step_from(JNIEnv *env, const struct ch_value_seen *v, struct ch_step *step,
                                      const char *first) {
    if (v->kind == CH_VALUE_NULL || ch_is_none(v)) return *v;
    if (step->key) return v->object && v->kind != CH_VALUE_STRING ? ch_element(env, v->object, step) : none;
    if (!strcmp(step->name, "length")) {
        struct ch_value_seen known = ch_object_seen(env, v->object), length = length_of(env, &known);
        if (length.kind != CH_VALUE_NONE) return length;
    }
    if (v->object && v->kind == CH_VALUE_OBJECT && !strcmp(step->name, "size")) {
        struct ch_value_seen size = ch_collection_size(env, v->object, step);
        if (size.kind != CH_VALUE_NONE) return size;
    }
    return v->object && v->kind != CH_VALUE_ARRAY ? ch_field_value(env, v->object, step, first) : none;
}

/* From a value on, the steps that begin with this one. */
static struct ch_value_seen along(JNIEnv *env, struct ch_value_seen v, const struct ch_way *way, uint32_t from,
                                  const char *first) {
    for (uint32_t i = from; i < way->steps; i++) v = step_from(env, &v, &way->step[i], i ? NULL : first);
    return v;
}

struct ch_value_seen ch_value_from(JNIEnv *env, jobject root, const struct ch_way *way, const char *first) {
    if (!way->steps) return ch_object_seen(env, root);
    /* what kind of object is not asked on the way */
    return along(env, (struct ch_value_seen){.kind = root ? CH_VALUE_OBJECT : CH_VALUE_NULL, .object = root}, way, 0,
                 first);
}

static struct ch_value_seen thread_name(JNIEnv *env) {
    static struct ch_step name = {.name = "name"};
    jthread thread = NULL;
    return (*ch_jvmti)->GetCurrentThread(ch_jvmti, &thread) || !thread
               ? none
               : ch_field_value(env, thread, &name, "Ljava/lang/Thread;");
}

struct ch_value_seen ch_way_value(const struct ch_activation *a, const struct ch_way *way) {
    jobject object = NULL;
    char letter;
    if (way->root == CH_ROOT_STATIC) return along(a->env, ch_static_value(a->env, way), way, 1, NULL);
    if (way->root == CH_ROOT_ELEMENT) return along(a->env, a->element ? *a->element : none, way, 0, NULL);
    if (way->root == CH_ROOT_THREAD) return along(a->env, thread_name(a->env), way, 0, NULL);
    if (!root_object(a, way->root, &object, &letter)) return none;
    if (object && (*a->env)->IsSameObject(a->env, object, a->kept)) return unset; /* the code of a line says so */
    if (object && a->ended && (way->root == CH_ROOT_THIS || way->root >= 0)) {
        struct ch_value_seen left = ch_left_of(a->env, object);
        if (left.kind != CH_VALUE_OBJECT || left.of) return left;
        object = left.object;
    }
    if (!way->steps) return along(a->env, ch_typed_seen(a->env, object, letter), way, 0, NULL);
    return ch_value_from(a->env, object, way, way->root == CH_ROOT_THIS ? a->watch->class_name : NULL);
}
