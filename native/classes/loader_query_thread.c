/* Asks a class loader for the tracker on a thread of its own. A loader may take for ever, and the attaching thread must
 * not hang with it. */
#include "classes.h"
#include <stdlib.h>

struct asked {
    jobject loader, thread; /* global references */
    ch_loader_answer *told;
};

static void leave(JNIEnv *env, struct asked *a) {
    if (a->loader) (*env)->DeleteGlobalRef(env, a->loader);
    if (a->thread) (*env)->DeleteGlobalRef(env, a->thread);
    free(a);
}

static void JNICALL ask(jvmtiEnv *jvmti, JNIEnv *env, void *argument) {
    struct asked *a = argument;
    ch_java_thread_ended(); /* for the sampler: it is not the program's */
    char why[600] = "";
    bool mishap, ready = ch_query_loader(env, a->loader, why, sizeof why, &mishap);
    (void)jvmti;
    a->told(env, a->loader, ready, mishap, why);
    leave(env, a);
}

bool ch_query_loader_on_thread(JNIEnv *env, jobject loader, ch_loader_answer *told) {
    struct asked *a = malloc(sizeof *a);
    if (!a) return false;
    *a = (struct asked){(*env)->NewGlobalRef(env, loader), ch_new_thread(env, "classhook asks"), told};
    if (a->loader && a->thread && !(*ch_jvmti)->RunAgentThread(ch_jvmti, a->thread, ask, a, JVMTI_THREAD_NORM_PRIORITY))
        return true;
    leave(env, a);
    return false;
}
