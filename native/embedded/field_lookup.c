/* Finds the field of an object: the first of that name, of its class and then of its superclasses, but no static one.
 *
 * To ask JVMTI takes microseconds, as it copies the names of all fields. The result is kept, with a weak reference to
 * the class; with the GIL. */
#include "embedded.h"
#include <string.h>

enum { STATIC = 8, SETS = 64, WAYS = 4, LONGEST = 47 };

struct place {
    jweak class; /* NULL: the place is free */
    jfieldID field;
    char letter; /* of its type */
    char name[LONGEST + 1];
};

static struct place places[SETS][WAYS];

static struct place *set_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 16777619u;
    return places[(hash ^ hash >> 16) % SETS];
}

static void keep(JNIEnv *env, jclass class, const char *name, jfieldID field, char letter) {
    static uint32_t turn;
    struct place *p = &set_of(name)[turn++ % WAYS];
    if (strlen(name) > LONGEST) return;
    if (p->class) (*env)->DeleteWeakGlobalRef(env, p->class);
    *p = (struct place){(*env)->NewWeakGlobalRef(env, class), field, letter, ""};
    strcpy(p->name, name);
}

/* The field of the class itself, without its superclasses. */
static jfieldID declared(jclass class, const char *wanted, char *letter) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    jint n = 0, modifiers = 0;
    jfieldID *fields = NULL, found = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &n, &fields)) return NULL;
    for (jint i = 0; !found && i < n; i++) {
        char *name = NULL, *signature = NULL;
        if ((*jvmti)->GetFieldName(jvmti, class, fields[i], &name, &signature, NULL)) continue;
        if (!strcmp(name, wanted) && !(*jvmti)->GetFieldModifiers(jvmti, class, fields[i], &modifiers) &&
            !(modifiers & STATIC)) {
            found = fields[i];
            *letter = *signature;
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)fields);
    return found;
}

jfieldID ch_object_field(JNIEnv *env, jobject object, const char *name, char *letter) {
    jclass class = (*env)->GetObjectClass(env, object), at = class;
    jfieldID found = NULL;
    struct place *set = set_of(name);
    for (int i = 0; !found && i < WAYS; i++) {
        if (!set[i].class || strcmp(set[i].name, name) || !(*env)->IsSameObject(env, set[i].class, class)) continue;
        found = set[i].field;
        *letter = set[i].letter;
    }
    if (!found) {
        while (at && !(found = declared(at, name, letter))) {
            jclass above = (*env)->GetSuperclass(env, at);
            if (at != class) (*env)->DeleteLocalRef(env, at);
            at = above;
        }
        if (at && at != class) (*env)->DeleteLocalRef(env, at);
        if (found) keep(env, class, name, found, *letter);
    }
    (*env)->DeleteLocalRef(env, class);
    return found;
}
