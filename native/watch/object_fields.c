/* Fields of objects by their names, and what kinds of objects there are.
 *
 * 1. Which field a name means is asked of JVMTI once for each class of objects, and kept with the step of the way that
 *    asks: a weak reference to the class, so that it can be unloaded.
 * 2. A class that has no such field is kept, too, and the report says so.
 */
#include "../base/jdk_members.h"
#include "../base/jvm_facts.h"
#include "watch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKED_UP = 64 /* classes, and their names */,
    MOST_CLASSES = 64 /* of a step; further ones are looked up each time */,
    MOST_NOTES = 20
};
#define ACC_STATIC 0x0008

struct ch_known_field {
    jweak of;
    jfieldID field; /* NULL: it has none */
    char letter;
    bool is_static;
    uint32_t n; /* with those behind it */
    struct ch_known_field *next;
};

static struct ch_box boxes[CH_BOXES] = CH_UNKNOWN_BOXES;
static jclass string_class, enum_class;
static jfieldID enum_name;

static jclass lasting(JNIEnv *env, const char *name) {
    jclass c = ch_boot_class(env, name), global = c ? (*env)->NewGlobalRef(env, c) : NULL;
    if (c) (*env)->DeleteLocalRef(env, c);
    return global;
}

static jclass box_class(JNIEnv *env, const char *name) {
    char whole[32];
    snprintf(whole, sizeof whole, "java.lang.%s", name);
    return ch_boot_class(env, whole);
}

static bool find_classes(JNIEnv *env) {
    if (!ch_boxes_find(env, boxes, box_class)) return false;
    string_class = lasting(env, "java.lang.String");
    enum_class = lasting(env, "java.lang.Enum");
    enum_name = ch_jdk_field(env, CH_JDK_ENUM_NAME, NULL);
    return string_class && enum_class && enum_name;
}

bool ch_fields_prepare(JNIEnv *env) {
    static bool done;
    if (!done && ch_local_frame(env, LOOKED_UP)) {
        done = find_classes(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return done;
}

jstring ch_name_of_enum(JNIEnv *env, jobject constant) { return (*env)->GetObjectField(env, constant, enum_name); }

/* ---- values */

static struct ch_value_seen of_kind(char kind) { return (struct ch_value_seen){.kind = kind}; }
static struct ch_value_seen integer(char kind, int64_t number) {
    return (struct ch_value_seen){.kind = kind, .number = number, .real = (double)number};
}
static struct ch_value_seen real(char kind, double number) {
    return (struct ch_value_seen){.kind = kind, .real = number};
}

struct ch_value_seen ch_typed_seen(JNIEnv *env, jobject o, char letter) {
    if (!o) return of_kind(CH_VALUE_NULL);
    switch (letter) {
    case CH_TYPE_STRING: return (struct ch_value_seen){.kind = CH_VALUE_STRING, .object = o};
    case '[': return (struct ch_value_seen){.kind = CH_VALUE_ARRAY, .object = o};
    case 'L': return ch_object_seen(env, o);
    default: return ch_boxed_seen(env, o, letter);
    }
}

static struct ch_value_seen value_at(JNIEnv *env, jobject o, jfieldID f, char letter) {
    switch (letter) {
    case 'Z': return integer(CH_VALUE_BOOLEAN, (*env)->GetBooleanField(env, o, f));
    case 'B': return integer(CH_VALUE_INT, (*env)->GetByteField(env, o, f));
    case 'C': return integer(CH_VALUE_CHAR, (*env)->GetCharField(env, o, f));
    case 'S': return integer(CH_VALUE_INT, (*env)->GetShortField(env, o, f));
    case 'I': return integer(CH_VALUE_INT, (*env)->GetIntField(env, o, f));
    case 'J': return integer(CH_VALUE_INT, (*env)->GetLongField(env, o, f));
    case 'F': return real(CH_VALUE_FLOAT, (double)(*env)->GetFloatField(env, o, f));
    case 'D': return real(CH_VALUE_DOUBLE, (*env)->GetDoubleField(env, o, f));
    default: return ch_typed_seen(env, (*env)->GetObjectField(env, o, f), letter);
    }
}

static struct ch_value_seen static_value_at(JNIEnv *env, jclass c, jfieldID f, char letter) {
    switch (letter) {
    case 'Z': return integer(CH_VALUE_BOOLEAN, (*env)->GetStaticBooleanField(env, c, f));
    case 'B': return integer(CH_VALUE_INT, (*env)->GetStaticByteField(env, c, f));
    case 'C': return integer(CH_VALUE_CHAR, (*env)->GetStaticCharField(env, c, f));
    case 'S': return integer(CH_VALUE_INT, (*env)->GetStaticShortField(env, c, f));
    case 'I': return integer(CH_VALUE_INT, (*env)->GetStaticIntField(env, c, f));
    case 'J': return integer(CH_VALUE_INT, (*env)->GetStaticLongField(env, c, f));
    case 'F': return real(CH_VALUE_FLOAT, (double)(*env)->GetStaticFloatField(env, c, f));
    case 'D': return real(CH_VALUE_DOUBLE, (*env)->GetStaticDoubleField(env, c, f));
    default: return ch_typed_seen(env, (*env)->GetStaticObjectField(env, c, f), letter);
    }
}

struct ch_value_seen ch_boxed_seen(JNIEnv *env, jobject box, char letter) {
    const struct ch_box *its = box ? ch_box_of(env, boxes, box, letter) : NULL;
    return its ? value_at(env, box, its->value, letter) : ch_object_seen(env, box);
}

struct ch_value_seen ch_object_seen(JNIEnv *env, jobject o) {
    jboolean array = JNI_FALSE;
    if (!o) return of_kind(CH_VALUE_NULL);
    struct ch_value_seen v = {.kind = CH_VALUE_OBJECT, .object = o};
    jclass c = (*env)->GetObjectClass(env, o);
    if ((*env)->IsSameObject(env, c, string_class)) {
        v.kind = CH_VALUE_STRING;
    } else {
        for (int i = 0; i < CH_BOXES; i++) {
            if (!boxes[i].value || !(*env)->IsSameObject(env, c, boxes[i].its_class)) continue;
            (*env)->DeleteLocalRef(env, c);
            v = value_at(env, o, boxes[i].value, boxes[i].letter);
            v.object = o;
            return v;
        }
        if (enum_class && enum_name && (*env)->IsInstanceOf(env, o, enum_class))
            v.kind = CH_VALUE_ENUM;
        else if (!(*ch_jvmti)->IsArrayClass(ch_jvmti, c, &array) && array)
            v.kind = CH_VALUE_ARRAY;
    }
    (*env)->DeleteLocalRef(env, c);
    return v;
}

/* ---- fields */

char ch_type_letter(const char *descriptor) {
    static const char string[] = "Ljava/lang/String;";
    return strncmp(descriptor, string, sizeof string - 1) ? *descriptor : CH_TYPE_STRING;
}

static bool has_signature(jclass c, const char *signature) {
    char *own = NULL;
    bool yes = !(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &own, NULL) && !strcmp(own, signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)own);
    return yes;
}

static bool declares(jclass c, const char *name, struct ch_known_field *out) {
    jfieldID *all = NULL;
    jint n = 0, flags = 0;
    if ((*ch_jvmti)->GetClassFields(ch_jvmti, c, &n, &all)) return false;
    for (jint i = 0; i < n && !out->field; i++) {
        char *own = NULL, *type = NULL;
        if (!(*ch_jvmti)->GetFieldName(ch_jvmti, c, all[i], &own, &type, NULL) && !strcmp(own, name)) {
            out->field = all[i];
            out->letter = ch_type_letter(type);
            out->is_static = !(*ch_jvmti)->GetFieldModifiers(ch_jvmti, c, all[i], &flags) && flags & ACC_STATIC;
        }
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)own);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)type);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    return out->field;
}

/* In a class and its superclasses, from the one with this signature on if there is one. */
static bool inherits(JNIEnv *env, jclass from, const char *first, const char *name, struct ch_known_field *out) {
    bool there = !first, found = false;
    jclass c = (*env)->NewLocalRef(env, from);
    while (c && !found) {
        there = there || has_signature(c, first);
        found = there && declares(c, name, out);
        jclass above = (*env)->GetSuperclass(env, c);
        (*env)->DeleteLocalRef(env, c);
        c = above;
    }
    if (c) (*env)->DeleteLocalRef(env, c);
    return found;
}

void ch_say_missing(jclass c, const char *what, const char *name) {
    static uint32_t notes;
    char type[256], text[512];
    if (ch_add_relaxed(&notes, 1) >= MOST_NOTES || !ch_type_name(c, type, sizeof type)) return;
    for (char *p = type; *p; p++)
        if (*p == '/') *p = '.';
    int written =
        snprintf(text, sizeof text, "a rule names %s %.200s, which objects of %s do not have", what, name, type);
    if (written > 0)
        ch_meta_add(CH_META_NOTE, 0, 0, text, (size_t)written < sizeof text ? (size_t)written : sizeof text - 1);
}

static struct ch_known_field look_up(JNIEnv *env, jclass c, struct ch_step *step, const char *first) {
    struct ch_known_field found = {0}, *head = ch_load_acquire(&step->known), *kept;
    if (!inherits(env, c, first, step->name, &found) && first) inherits(env, c, NULL, step->name, &found);
    if ((head && head->n >= MOST_CLASSES) || !(kept = malloc(sizeof *kept))) return found;
    found.of = (*env)->NewWeakGlobalRef(env, c);
    *kept = found;
    do {
        kept->next = head;
        kept->n = head ? head->n + 1 : 1;
    } while (!ch_replace_acquire(&step->known, &head, kept));
    if (!found.field) ch_say_missing(c, "the field", step->name);
    return found;
}

static struct ch_known_field known_field(JNIEnv *env, jclass c, struct ch_step *step, const char *first) {
    const struct ch_known_field *k = ch_load_acquire(&step->known);
    while (k && !(*env)->IsSameObject(env, k->of, c)) k = k->next;
    return k ? *k : look_up(env, c, step, first);
}

jfieldID ch_field_found(JNIEnv *env, jclass c, struct ch_step *step, const char *first, char *letter, bool *is_static) {
    struct ch_known_field found = known_field(env, c, step, first);
    *letter = found.letter;
    *is_static = found.is_static;
    return found.field;
}

struct ch_value_seen ch_field_value(JNIEnv *env, jobject object, struct ch_step *step, const char *first) {
    jclass c = (*env)->GetObjectClass(env, object);
    struct ch_known_field found = known_field(env, c, step, first);
    struct ch_value_seen v = of_kind(CH_VALUE_NONE);
    if (found.field)
        v = found.is_static ? static_value_at(env, c, found.field, found.letter)
                            : value_at(env, object, found.field, found.letter);
    (*env)->DeleteLocalRef(env, c);
    return v;
}

struct ch_value_seen ch_static_field_value(JNIEnv *env, jclass c, struct ch_step *step) {
    struct ch_known_field found = known_field(env, c, step, NULL);
    return found.field && found.is_static ? static_value_at(env, c, found.field, found.letter) : of_kind(CH_VALUE_NONE);
}

bool ch_field_is_of(JNIEnv *env, jobject object, const char *first, const char *name, const char *declared) {
    struct ch_known_field found = {0};
    jclass c = (*env)->GetObjectClass(env, object), by = NULL;
    bool yes = inherits(env, c, first, name, &found) &&
               !(*ch_jvmti)->GetFieldDeclaringClass(ch_jvmti, c, found.field, &by) && has_signature(by, declared);
    if (by) (*env)->DeleteLocalRef(env, by);
    (*env)->DeleteLocalRef(env, c);
    return yes;
}
