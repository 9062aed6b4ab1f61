/* Native threads that attach to the JVM, call Java, detach, and do that again. */
#include <jni.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct plan {
    JavaVM *vm;
    jclass target;
    jmethodID method;
    int attachments, calls, number;
};

static void *work(void *argument) {
    struct plan *p = argument;
    for (int i = 0; i < p->attachments; i++) {
        JNIEnv *env = NULL;
        /* every other time as a daemon, under another name; attaching twice changes nothing */
        JavaVMAttachArgs args = {JNI_VERSION_1_8, (char *)"native", NULL};
        jint failed = (i + p->number) % 2 ? (*p->vm)->AttachCurrentThread(p->vm, (void **)&env, &args)
                                          : (*p->vm)->AttachCurrentThreadAsDaemon(p->vm, (void **)&env, NULL);
        if (failed || (*p->vm)->AttachCurrentThread(p->vm, (void **)&env, NULL)) abort();
        for (int n = 0; n < p->calls; n++) {
            (*env)->CallStaticVoidMethod(env, p->target, p->method, (jint)n);
            (*env)->ExceptionClear(env);
        }
        if ((*p->vm)->DetachCurrentThread(p->vm)) abort();
    }
    return NULL;
}

JNIEXPORT void JNICALL Java_Attached_storm(JNIEnv *env, jclass c, jint threads, jint attachments, jint calls) {
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    struct plan *plans = calloc((size_t)threads, sizeof *plans);
    jclass target = (*env)->NewGlobalRef(env, c);
    jmethodID method = (*env)->GetStaticMethodID(env, c, "outermost", "(I)V");
    for (int i = 0; i < threads; i++) {
        plans[i] = (struct plan){NULL, target, method, attachments, calls, i};
        (*env)->GetJavaVM(env, &plans[i].vm);
        if (pthread_create(&ids[i], NULL, work, &plans[i])) abort();
    }
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    free(ids);
    free(plans);
}

/* Many programs detach like this, in a destructor of thread-specific data, and some call Java there. */
static pthread_key_t key;

static void at_end(void *argument) {
    struct plan *p = argument;
    JNIEnv *env = NULL;
    if ((*p->vm)->GetEnv(p->vm, (void **)&env, JNI_VERSION_1_8)) abort();
    for (int n = 0; n < p->calls; n++) {
        (*env)->CallStaticVoidMethod(env, p->target, p->method, (jint)n);
        (*env)->ExceptionClear(env);
    }
    if ((*p->vm)->DetachCurrentThread(p->vm)) abort();
}

static void *work_at_end(void *argument) {
    struct plan *p = argument;
    JNIEnv *env = NULL;
    if ((*p->vm)->AttachCurrentThread(p->vm, (void **)&env, NULL) || pthread_setspecific(key, p)) abort();
    (*env)->CallStaticVoidMethod(env, p->target, p->method, 1);
    return NULL;
}

JNIEXPORT void JNICALL Java_Attached_linger(JNIEnv *env, jclass c, jint threads, jint calls) {
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    struct plan p = {
        NULL, (*env)->NewGlobalRef(env, c), (*env)->GetStaticMethodID(env, c, "outermost", "(I)V"), 1, calls, 0};
    (*env)->GetJavaVM(env, &p.vm);
    if (pthread_key_create(&key, at_end)) abort();
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, work_at_end, &p)) abort();
        usleep(20000); /* so that the next thread would take a block given back too early */
    }
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    free(ids);
}
