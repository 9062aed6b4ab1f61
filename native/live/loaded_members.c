/* The names with which rules are compared before they are added: the loaded classes, their members, and the names in
 * their constant pools, which include those of their annotations. All of it is asked of JVMTI, so that no class is
 * changed and no Java runs. */
#include "../base/jvm_facts.h"
#include "live.h"
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1024, MOST_SUBTYPES = 10 };

struct loaded {
    jclass *classes;
    jint n;
};

static struct loaded loaded(JNIEnv *env) {
    struct loaded all = {0};
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &all.n, &all.classes)) return (struct loaded){0};
    (void)ch_local_room(env, all.n + 64);
    return all;
}

static void release(JNIEnv *env, struct loaded *all) {
    for (jint i = 0; i < all->n; i++) (*env)->DeleteLocalRef(env, all->classes[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all->classes);
}

/* The name of a class; false: rules cannot name it. */
static bool name_of(jclass c, char *name) {
    jint status = 0;
    if ((*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) ||
        status & (JVMTI_CLASS_STATUS_ARRAY | JVMTI_CLASS_STATUS_PRIMITIVE))
        return false;
    return ch_name_of_class(c, name, LONGEST) && !strchr(name, '.'); /* a hidden class's has a dot */
}

static bool has_name(jclass c, const char *wanted) {
    char name[LONGEST];
    return name_of(c, name) && !strcmp(name, wanted);
}

bool ch_answer_classes(JNIEnv *env, const char *text, struct ch_reply *r) {
    char name[LONGEST];
    struct loaded all = loaded(env);
    (void)text;
    for (jint i = 0; i < all.n; i++) {
        if (!name_of(all.classes[i], name)) continue;
        ch_reply_add(r, "{");
        ch_reply_field(r, "line", name);
        ch_reply_add(r, "}\n");
    }
    release(env, &all);
    ch_reply_add(r, "{\"ok\": true}\n");
    return true;
}

/* ---- one class */

static void say_member(struct ch_reply *r, const char *what, const char *name, const char *type, jint flags) {
    ch_reply_add(r, "{");
    ch_reply_field(r, what, name);
    ch_reply_add(r, ", ");
    ch_reply_field(r, "type", type);
    ch_reply_add(r, ", \"flags\": %d}\n", (int)flags);
}

static void say_fields(struct ch_reply *r, jclass c) {
    jfieldID *all = NULL;
    jint n = 0, flags = 0;
    if ((*ch_jvmti)->GetClassFields(ch_jvmti, c, &n, &all)) return;
    for (jint i = 0; i < n; i++) {
        char *name = NULL, *type = NULL;
        if (!(*ch_jvmti)->GetFieldName(ch_jvmti, c, all[i], &name, &type, NULL) &&
            !(*ch_jvmti)->GetFieldModifiers(ch_jvmti, c, all[i], &flags))
            say_member(r, "field", name, type, flags);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)type);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
}

static void say_methods(struct ch_reply *r, jclass c) {
    jmethodID *all = NULL;
    jint n = 0, flags = 0;
    if ((*ch_jvmti)->GetClassMethods(ch_jvmti, c, &n, &all)) return;
    for (jint i = 0; i < n; i++) {
        char *name = NULL, *type = NULL;
        if (!(*ch_jvmti)->GetMethodName(ch_jvmti, all[i], &name, &type, NULL) &&
            !(*ch_jvmti)->GetMethodModifiers(ch_jvmti, all[i], &flags))
            say_member(r, "method", name, type, flags);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)type);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
}

static void say_type(struct ch_reply *r, const char *what, jclass c) {
    char name[LONGEST];
    if (!c || !ch_name_of_class(c, name, sizeof name)) return;
    ch_reply_add(r, "{");
    ch_reply_field(r, what, name);
    ch_reply_add(r, "}\n");
}

static void say_file(struct ch_reply *r, jclass c) {
    char *file = NULL;
    if ((*ch_jvmti)->GetSourceFileName(ch_jvmti, c, &file)) return;
    ch_reply_add(r, "{");
    ch_reply_field(r, "file", file);
    ch_reply_add(r, "}\n");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)file);
}

static void say_supertypes(JNIEnv *env, struct ch_reply *r, jclass c) {
    jclass *interfaces = NULL, above = (*env)->GetSuperclass(env, c);
    jint n = 0;
    say_type(r, "super", above);
    if (above) (*env)->DeleteLocalRef(env, above);
    if ((*ch_jvmti)->GetImplementedInterfaces(ch_jvmti, c, &n, &interfaces)) return;
    for (jint i = 0; i < n; i++) {
        say_type(r, "interface", interfaces[i]);
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)interfaces);
}

/* The constants that may be the types of annotations. */
static void say_types_in_pool(struct ch_reply *r, jclass c) {
    jint count = 0, bytes = 0;
    unsigned char *pool = NULL;
    if ((*ch_jvmti)->GetConstantPool(ch_jvmti, c, &count, &bytes, &pool)) return;
    struct ch_texts texts = ch_texts_of(pool, bytes, count);
    const char *text;
    for (size_t n; ch_next_text(&texts, &text, &n);) {
        if (n <= 2 || n >= LONGEST || text[0] != 'L' || text[n - 1] != ';') continue;
        ch_reply_add(r, "{\"constant\": ");
        ch_reply_string(r, text + 1, n - 2);
        ch_reply_add(r, "}\n");
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, pool);
}

static void describe(JNIEnv *env, struct ch_reply *r, jclass c, const char *name) {
    jint flags = 0, status = 0;
    bool whole = !(*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) &&
                 status & JVMTI_CLASS_STATUS_PREPARED && /* else it has no members yet */
                 !(*ch_jvmti)->GetClassModifiers(ch_jvmti, c, &flags);
    ch_reply_add(r, "{");
    ch_reply_field(r, "class", name);
    ch_reply_add(r, ", \"flags\": %d, \"whole\": %s}\n", (int)flags, whole ? "true" : "false");
    if (!whole) return;
    say_file(r, c);
    say_supertypes(env, r, c);
    say_fields(r, c);
    say_methods(r, c);
    say_types_in_pool(r, c);
}

bool ch_answer_class(JNIEnv *env, const char *text, struct ch_reply *r) {
    const jvmtiCapabilities pools = {.can_get_constant_pool = 1}, files = {.can_get_source_file_name = 1};
    struct loaded all = loaded(env);
    (*ch_jvmti)->AddCapabilities(ch_jvmti, &pools); /* without it, no annotations are known */
    (*ch_jvmti)->AddCapabilities(ch_jvmti, &files);
    for (jint i = 0; i < all.n; i++)
        if (has_name(all.classes[i], text)) describe(env, r, all.classes[i], text);
    release(env, &all);
    ch_reply_add(r, "{\"ok\": true}\n");
    return true;
}

/* ---- fields of subtypes */

static bool has_field(jclass c, const char *wanted) {
    jfieldID *all = NULL;
    jint n = 0;
    bool found = false;
    if ((*ch_jvmti)->GetClassFields(ch_jvmti, c, &n, &all)) return false;
    for (jint i = 0; i < n && !found; i++) {
        char *name = NULL;
        found = !(*ch_jvmti)->GetFieldName(ch_jvmti, c, all[i], &name, NULL, NULL) && !strcmp(name, wanted);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    return found;
}

bool ch_answer_subtypes(JNIEnv *env, const char *text, struct ch_reply *r) {
    char wanted[LONGEST];
    const char *field = strchr(text, ' ');
    size_t n = field ? (size_t)(field - text) : sizeof wanted;
    if (n >= sizeof wanted) {
        ch_reply_add(r, "{\"error\": \"subtypes CLASS FIELD: which class, and which field?\"}\n");
        return true;
    }
    memcpy(wanted, text, n);
    wanted[n] = 0;
    struct loaded all = loaded(env);
    uint32_t found = 0;
    for (jint above = 0; above < all.n; above++) {
        if (!has_name(all.classes[above], wanted)) continue;
        for (jint i = 0; i < all.n && found < MOST_SUBTYPES; i++) {
            if (i == above || !(*env)->IsAssignableFrom(env, all.classes[i], all.classes[above]) ||
                !has_field(all.classes[i], field + 1))
                continue;
            say_type(r, "line", all.classes[i]);
            found++;
        }
    }
    release(env, &all);
    ch_reply_add(r, "{\"ok\": true}\n");
    return true;
}
