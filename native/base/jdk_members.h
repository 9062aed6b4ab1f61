/* Members of the JDK that are not public, by their places in the list native/jdk_members/. */
#ifndef CLASSHOOK_JDK_MEMBERS_H
#define CLASSHOOK_JDK_MEMBERS_H
#include <jni.h>
#include "jdk_member_rows.h"
#include "jvm.h"

/* A jmethodID, a jfieldID, or a local reference to a class; NULL if this JDK lacks the member, and no exception is
 * pending then. If the JDK should have it, the data file says once what does not work. `find` returns a local reference
 * to a class by its name; the member's becomes `owner`, unless that is NULL. Looking for a static member initialises
 * the class. */
void *ch_jdk_id(JNIEnv *env, enum ch_jdk member, jclass (*find)(JNIEnv *env, const char *name), jclass *owner);

static inline jmethodID ch_jdk_method(JNIEnv *env, enum ch_jdk member, jclass *owner) {
    return ch_jdk_id(env, member, ch_boot_class, owner);
}
static inline jfieldID ch_jdk_field(JNIEnv *env, enum ch_jdk member, jclass *owner) {
    return ch_jdk_id(env, member, ch_boot_class, owner);
}
static inline jclass ch_jdk_class(JNIEnv *env, enum ch_jdk member) {
    return ch_jdk_id(env, member, ch_boot_class, NULL);
}

#endif
