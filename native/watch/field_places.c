/* Where fields of objects are, for code that reads them itself (native/building/object_fields.py): asked once for each class of objects.
 *
 * What code could not read as ch_way_value does, it leaves to the agent: static fields, two fields of one name in a class, and collections that
 * keep no number of their elements.
 */
#include "tracker_natives.h"
#include "watch.h"
#include <string.h>

#define ACC_VOLATILE 0x0040

static jobject unsafe;
static jmethodID offset_of; /* a native of the JVM's, which runs no Java */

bool ch_places_start(JNIEnv *env) {
    jclass c = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    jfieldID the = c ? (*env)->GetStaticFieldID(env, c, "theUnsafe", "Ljdk/internal/misc/Unsafe;") : NULL;
    jobject u = the ? (*env)->GetStaticObjectField(env, c, the) : NULL;
    offset_of = u ? (*env)->GetMethodID(env, c, "objectFieldOffset1", "(Ljava/lang/Class;Ljava/lang/String;)J") : NULL;
    if (offset_of) unsafe = (*env)->NewGlobalRef(env, u);
    return unsafe;
}

static enum ch_place place_of(char letter) {
    switch (letter) {
    case 'Z': return CH_PLACE_BOOLEAN;
    case 'B': return CH_PLACE_BYTE;
    case 'C': return CH_PLACE_CHAR;
    case 'S': return CH_PLACE_SHORT;
    case 'I': return CH_PLACE_INT;
    case 'J': return CH_PLACE_LONG;
    case 'F': return CH_PLACE_FLOAT;
    case 'D': return CH_PLACE_DOUBLE;
    case '[': return CH_PLACE_ARRAY;
    case CH_TYPE_STRING: return CH_PLACE_STRING;
    default: return CH_PLACE_OBJECT;
    }
}

/* Unsafe looks for the first field of a name in a class. */
static bool is_only_one(jclass c, const char *name) {
    jfieldID *all = NULL;
    jint n = 0, alike = 0;
    if ((*ch_jvmti)->GetClassFields(ch_jvmti, c, &n, &all)) return false;
    for (jint i = 0; i < n; i++) {
        char *own = NULL;
        if (!(*ch_jvmti)->GetFieldName(ch_jvmti, c, all[i], &own, NULL, NULL) && !strcmp(own, name)) alike++;
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)own);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    return alike == 1;
}

static jlong at_offset(JNIEnv *env, jclass c, jfieldID field, const char *name, enum ch_place place) {
    jclass by = NULL;
    jint flags = 0;
    if ((*ch_jvmti)->GetFieldDeclaringClass(ch_jvmti, c, field, &by) || (*ch_jvmti)->GetFieldModifiers(ch_jvmti, by, field, &flags))
        return CH_PLACE_UNSURE;
    jstring text = is_only_one(by, name) ? (*env)->NewStringUTF(env, name) : NULL;
    jlong offset = text ? (*env)->CallLongMethod(env, unsafe, offset_of, by, text) : 0;
    if ((*env)->ExceptionCheck(env) || offset <= 0) return CH_PLACE_UNSURE;
    return offset << 8 | (jlong)place | (flags & ACC_VOLATILE ? CH_PLACE_VOLATILE : 0);
}

static jlong of_field(JNIEnv *env, jobject o, struct ch_step *step, const char *first) {
    char letter;
    bool is_static;
    jclass c = (*env)->GetObjectClass(env, o);
    jfieldID field = ch_field_found(env, c, step, first, &letter, &is_static);
    if (!field) return CH_PLACE_NOTHING;
    return is_static ? CH_PLACE_UNSURE : at_offset(env, c, field, step->name, place_of(letter));
}

static jlong of_size(JNIEnv *env, jobject o, struct ch_step *step) {
    bool wrapped;
    struct ch_step *counted = ch_size_field(env, o, step, &wrapped);
    jlong place = counted ? of_field(env, o, counted, NULL) : CH_PLACE_UNSURE;
    enum ch_place wanted = wrapped ? CH_PLACE_OBJECT : CH_PLACE_INT;
    if ((place & ~(jlong)CH_PLACE_VOLATILE & 0xFF) != wanted) return CH_PLACE_UNSURE;
    return wrapped ? (place & ~(jlong)0xF) | CH_PLACE_WRAPPED : place;
}

static jlong of_step(JNIEnv *env, jobject o, struct ch_step *step, const char *first) {
    if (step->key) return CH_PLACE_UNSURE;
    struct ch_value_seen v = ch_object_seen(env, o);
    if (v.kind == CH_VALUE_ARRAY) return strcmp(step->name, "length") ? CH_PLACE_UNSURE : CH_PLACE_ARRAY_LENGTH;
    if (v.kind == CH_VALUE_STRING && !strcmp(step->name, "length")) return CH_PLACE_STRING_LENGTH;
    if (v.kind == CH_VALUE_OBJECT && !strcmp(step->name, "size") && ch_is_collection(env, o, step)) return of_size(env, o, step);
    return of_field(env, o, step, first);
}

/* The way of this comparison, counted from the left. */
static struct ch_way *way_of_term(struct ch_condition *c, uint32_t *term) {
    if (c->first) {
        struct ch_way *found = way_of_term(c->first, term);
        return found ? found : way_of_term(c->second, term);
    }
    return (*term)-- ? NULL : &c->left;
}

/* The way that a probe asks about, and the class from whose fields on its first step is (a signature). */
static struct ch_way *way_of(JNIEnv *env, uint32_t slot, uint32_t term, const char **first) {
    const struct ch_watch *w = ch_watch_of(slot);
    if (!w) return term ? ch_key_way(env, slot) : ch_value_way(env, slot);
    struct ch_way *way = w->condition ? way_of_term(w->condition, &term) : NULL;
    if (way && way->root == CH_ROOT_THIS) *first = w->class_name;
    return way;
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_placeOf(JNIEnv *env, jclass c, jobject o, jint slot, jint asked) {
    const char *first = NULL;
    (void)c;
    uint32_t term = (uint32_t)asked >> CH_ASKED_TERM & (CH_ASKED_TERMS - 1), i = (uint32_t)asked & ((1 << CH_ASKED_TERM) - 1);
    struct ch_way *way = o ? way_of(env, (uint32_t)slot, term, &first) : NULL;
    if (!way || i >= way->steps || !unsafe) return CH_PLACE_UNSURE;
    jlong place = of_step(env, o, &way->step[i], i ? NULL : first);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return CH_PLACE_UNSURE;
    }
    return place;
}
