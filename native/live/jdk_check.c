/* For `classhook self doctor`: which members of the JDK are there. The JVM is instrumented by no rule; it looks at its
 * start, and goes on.
 *
 * It reads lines of class, name and descriptor, with tabs between them, and writes the numbers of the lines whose
 * member is there. No name: the class; no descriptor: any method or field of that name.
 */
#include "live.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    const char *owner, *name, *descriptor;
};

static char *lines, *answer; /* files */

static bool has(JNIEnv *env, jclass c, bool is_static, const struct asked *f) {
    bool there = *f->descriptor == '(' ? (is_static ? (*env)->GetStaticMethodID(env, c, f->name, f->descriptor)
                                                    : (*env)->GetMethodID(env, c, f->name, f->descriptor)) != NULL
                                       : (is_static ? (*env)->GetStaticFieldID(env, c, f->name, f->descriptor)
                                                    : (*env)->GetFieldID(env, c, f->name, f->descriptor)) != NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return there;
}

static bool has_named(jclass c, const char *name, bool method) {
    void **all = NULL;
    jint n = 0;
    bool there = false;
    jvmtiError failed = method ? (*ch_jvmti)->GetClassMethods(ch_jvmti, c, &n, (jmethodID **)&all)
                               : (*ch_jvmti)->GetClassFields(ch_jvmti, c, &n, (jfieldID **)&all);
    for (jint i = 0; !failed && i < n; i++) {
        char *own = NULL;
        failed = method ? (*ch_jvmti)->GetMethodName(ch_jvmti, all[i], &own, NULL, NULL)
                        : (*ch_jvmti)->GetFieldName(ch_jvmti, c, (jfieldID)all[i], &own, NULL, NULL);
        there |= !failed && !strcmp(own, name);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)own);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
    return there;
}

static bool is_there(JNIEnv *env, const struct asked *f) {
    jclass c = ch_boot_class(env, f->owner);
    if (!c || !*f->name) return c;
    if (*f->descriptor) return has(env, c, false, f) || has(env, c, true, f);
    return ch_initialise(env, f->owner) && (has_named(c, f->name, true) || has_named(c, f->name, false));
}

static bool look(JNIEnv *env, struct ch_error *error) {
    char line[1024];
    FILE *in = fopen(lines, "re"), *out = in ? fopen(answer, "we") : NULL;
    for (int number = 0; out && fgets(line, sizeof line, in); number++) {
        char *rest = line, *owner = strsep(&rest, "\t"), *name = strsep(&rest, "\t"), *descriptor = strsep(&rest, "\n");
        if (!name || !descriptor || !ch_local_frame(env, 16)) continue;
        if (is_there(env, &(struct asked){owner, name, descriptor})) fprintf(out, "%d\n", number);
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    bool well = out != NULL;
    if (!well) ch_fail(error, "cannot read %s or write %s: %m", lines, answer);
    if (in) fclose(in);
    if (out && fclose(out)) well = ch_fail(error, "cannot write %s: %m", answer);
    return well;
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    struct ch_error error = {0};
    (void)jvmti, (void)thread;
    if (!ch_jvm_prepare(env)) return; /* no answer */
    look(env, &error);
    ch_error_say(&error);
}

bool ch_jdk_check_start(const char *asked, const char *out, struct ch_error *error) {
    static const jvmtiEventCallbacks callbacks = {.VMInit = vm_init};
    lines = strdup(asked);
    answer = strdup(out);
    return lines && answer &&
           ch_check(error, (*ch_jvmti)->SetEventCallbacks(ch_jvmti, &callbacks, sizeof callbacks), "event callbacks") &&
           ch_check(error, (*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL),
                    "an event");
}
