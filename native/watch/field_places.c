/* The places of objects' fields, for code that reads them itself (native/tracker/Fields.java): asked once for each
 * class of objects.
 *
 * Code leaves to the agent what it cannot read as ch_way_value does: static fields, two fields of one name in a
 * class, fields that hold a value object and not a reference to it, and collections that keep no number of their
 * elements.
 */
#include "../base/unsafe.h"
#include "watch.h"
#include <string.h>

#define ACC_VOLATILE 0x0040

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
    if ((*ch_jvmti)->GetFieldDeclaringClass(ch_jvmti, c, field, &by) ||
        (*ch_jvmti)->GetFieldModifiers(ch_jvmti, by, field, &flags))
        return CH_PLACE_UNSURE;
    if (place == CH_PLACE_OBJECT && ch_unsafe_is_flat(env, by, field)) return CH_PLACE_UNSURE;
    jlong offset = is_only_one(by, name) ? ch_unsafe_offset(env, by, name) : 0;
    if (!offset) return CH_PLACE_UNSURE;
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

jlong ch_place_of(JNIEnv *env, jobject o, struct ch_step *step, const char *first) {
    if (step->key) return CH_PLACE_UNSURE;
    struct ch_value_seen v = ch_object_seen(env, o);
    if (v.kind == CH_VALUE_ARRAY) return strcmp(step->name, "length") ? CH_PLACE_UNSURE : CH_PLACE_ARRAY_LENGTH;
    if (v.kind == CH_VALUE_STRING && !strcmp(step->name, "length")) return CH_PLACE_STRING_LENGTH;
    if (v.kind == CH_VALUE_OBJECT && !strcmp(step->name, "size") && ch_is_collection(env, o, step))
        return of_size(env, o, step);
    return of_field(env, o, step, first);
}
