/* Classes, by the native behind Class.forName, so that no woven code runs. It is found by way of an object that is at
 * hand, so no loader of the program is asked.
 */
#include "base.h"
#include "jdk_members.h"

static jclass class_class;
static jmethodID for_name;

static jclass class_itself(JNIEnv *env, const char *name) {
    (void)name;
    return (*env)->NewLocalRef(env, class_class);
}

bool ch_jvm_prepare(JNIEnv *env) {
    jthread any = NULL;
    if ((*ch_jvmti)->GetCurrentThread(ch_jvmti, &any)) return false;
    jclass its = (*env)->GetObjectClass(env, any), c = (*env)->GetObjectClass(env, its);
    class_class = (*env)->NewGlobalRef(env, c);
    (*env)->DeleteLocalRef(env, c);
    (*env)->DeleteLocalRef(env, its);
    (*env)->DeleteLocalRef(env, any);
    for_name = class_class ? ch_jdk_id(env, CH_JDK_FOR_NAME, class_itself, NULL) : NULL;
    return for_name;
}

/* The method has no parameter for the caller since JDK 26: JNI does not look at a surplus argument. */
jclass ch_class_for_name_of(JNIEnv *env, jstring name, jobject loader, jclass caller) {
    if (!for_name) return NULL; /* threads start even where the agent could not */
    jclass found = (*env)->CallStaticObjectMethod(env, class_class, for_name, name, JNI_FALSE, loader, caller);
    return (*env)->ExceptionCheck(env) ? NULL : found;
}

bool ch_initialise(JNIEnv *env, const char *name) {
    jmethodID find = (*env)->GetStaticMethodID(env, class_class, "forName",
                                               "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring text = find ? (*env)->NewStringUTF(env, name) : NULL;
    jobject c = text ? (*env)->CallStaticObjectMethod(env, class_class, find, text, JNI_TRUE, NULL) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    bool done = c;
    if (c) (*env)->DeleteLocalRef(env, c);
    if (text) (*env)->DeleteLocalRef(env, text);
    return done;
}

jclass ch_boot_class(JNIEnv *env, const char *name) {
    jstring text = (*env)->NewStringUTF(env, name);
    jclass c = text ? ch_class_for_name(env, text, NULL) : NULL;
    (*env)->ExceptionClear(env);
    if (text) (*env)->DeleteLocalRef(env, text);
    return c;
}
