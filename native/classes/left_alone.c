/* Records classes that are not instrumented, with the reason, for the report; and retransforms classes. */
#include "classes.h"
#include <stdio.h>
#include <string.h>

/* Keeps text within one field: class names and error messages may contain anything. */
static void copy_field(char *to, size_t room, const char *from) {
    snprintf(to, room, "%s", from);
    for (; *to; to++)
        if (strchr("\t\n\r\\", *to)) *to = '?';
}

void ch_skip(const char *name, const char *reason, const char *detail) {
    char class_name[1024], why[1024], text[2200];
    copy_field(class_name, sizeof class_name, name);
    copy_field(why, sizeof why, detail);
    /* as written by instrument/weaving/probe_table.py; the reader converts internal names to binary names */
    int n = snprintf(text, sizeof text, "C\t%s\t\nS\t\t\t%s\t%s", class_name, reason, why);
    ch_meta_add(CH_META_SKIP, 0, 0, text, (size_t)n);
}

/* A class that a rule matches is not instrumented. */
void ch_leave(const char *name, const char *reason, const char *detail) {
    __atomic_fetch_add(&ch_header->matched, 1, __ATOMIC_RELAXED);
    ch_skip(name, reason, detail);
}

static void say_refused(jclass c, jvmtiError error) {
    char *signature = NULL, *text = NULL;
    (*ch_jvmti)->GetErrorName(ch_jvmti, error, &text);
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) {
        signature[strlen(signature) - 1] = 0;
        ch_skip(signature + 1, "refused-by-jvm", text ? text : "");
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)text);
}

void ch_retransform(JNIEnv *env, jint n, jclass *classes) {
    if (!n || !(*ch_jvmti)->RetransformClasses(ch_jvmti, n, classes)) return;
    for (jint i = 0; i < n; i++) {
        jvmtiError error = (*ch_jvmti)->RetransformClasses(ch_jvmti, 1, &classes[i]);
        if (error) say_refused(classes[i], error);
        (*env)->ExceptionClear(env);
    }
}
