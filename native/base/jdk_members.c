/* Finds members of the JDK that are not public. The list native/jdk_members/ has their forms in each release, and what
 * does not work without one.
 *
 * The form that this release should have is tried first, then the others: a JDK may have a later one already.
 */
#include "base.h"
#include "jdk_members.h"
#include <stdio.h>
#include <string.h>

struct form {
    const char *owner, *name, *descriptor;
    int first, last; /* release; 0: there is no further form */
};

static const struct member {
    bool is_static;
    const char *without;
    struct form forms[CH_JDK_FORMS];
} members[] = {CH_JDK_ROWS};
enum { MEMBERS = sizeof members / sizeof *members };

static bool is_expected(const struct form *f) {
    return f->first && f->first <= ch_jvm_version && ch_jvm_version <= f->last;
}

static void note_missing(enum ch_jdk member) {
    static bool noted[MEMBERS];
    const struct form *form = NULL;
    char text[400];
    for (size_t i = 0; i < CH_JDK_FORMS; i++)
        if (is_expected(&members[member].forms[i])) form = &members[member].forms[i];
    if (!form || !ch_header || ch_exchange_relaxed(&noted[member], true)) return;
    int n = snprintf(text, sizeof text, "this JDK (%d) has no %s%s%s, so: %s", ch_jvm_version, form->owner,
                     *form->name ? "." : "", form->name, members[member].without);
    if (n > 0) ch_meta_add(CH_META_NOTE, 0, 0, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* True if a member or a class was not found because there is none, and not for want of stack or memory. */
static bool is_missing(JNIEnv *env, jthrowable thrown) {
    static const char *const missing[] = {"Ljava/lang/NoSuchMethodError;", "Ljava/lang/NoSuchFieldError;"};
    char *signature = NULL;
    bool yes = false;
    jclass c = (*env)->GetObjectClass(env, thrown);
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) return false;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) yes |= !strcmp(signature, missing[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*env)->DeleteLocalRef(env, c);
    return yes;
}

static bool finds_classes(JNIEnv *env, jclass (*find)(JNIEnv *env, const char *name)) {
    jclass c = find(env, "java.lang.Object");
    if (c) (*env)->DeleteLocalRef(env, c);
    return c;
}

static void *id_in(JNIEnv *env, jclass c, bool is_static, const struct form *f, bool *sure) {
    void *id;
    if (*f->descriptor == '(')
        id = is_static ? (*env)->GetStaticMethodID(env, c, f->name, f->descriptor)
                       : (*env)->GetMethodID(env, c, f->name, f->descriptor);
    else
        id = is_static ? (void *)(*env)->GetStaticFieldID(env, c, f->name, f->descriptor)
                       : (void *)(*env)->GetFieldID(env, c, f->name, f->descriptor);
    jthrowable thrown = (*env)->ExceptionCheck(env) ? (*env)->ExceptionOccurred(env) : NULL;
    if (!thrown) return id;
    (*env)->ExceptionClear(env);
    *sure &= is_missing(env, thrown);
    (*env)->DeleteLocalRef(env, thrown);
    return id;
}

void *ch_jdk_id(JNIEnv *env, enum ch_jdk member, jclass (*find)(JNIEnv *env, const char *name), jclass *owner) {
    const struct member *m = &members[member];
    void *id = NULL;
    bool sure = true;
    for (size_t i = 0; !id && i < 2 * CH_JDK_FORMS; i++) {
        const struct form *f = &m->forms[i % CH_JDK_FORMS];
        if (!f->first || is_expected(f) != (i < CH_JDK_FORMS)) continue;
        jclass c = find(env, f->owner);
        id = c && *f->name ? id_in(env, c, m->is_static, f, &sure) : c;
        if (!c) sure &= finds_classes(env, find);
        if (id && owner)
            *owner = c;
        else if (c && id != c)
            (*env)->DeleteLocalRef(env, c);
    }
    if (!id && sure) note_missing(member);
    return id;
}
