/* The data that the tracker's method `released` has left of an object: itself, its class, or a weak reference. An array
 * has no other objects of these two classes, since it leaves their classes of them, too, or weak references. */
#include "../base/jdk_members.h"
#include "watch.h"

static jclass class_class, weak_class;
static jfieldID referent;

bool ch_released_start(JNIEnv *env) {
    if (class_class && weak_class) return true;
    jclass class_ = ch_boot_class(env, "java.lang.Class"), weak = ch_boot_class(env, "java.lang.ref.WeakReference");
    referent = ch_jdk_field(env, CH_JDK_REFERENT, NULL);
    if (!referent || !class_ || !weak) return false;
    class_class = (*env)->NewGlobalRef(env, class_);
    weak_class = (*env)->NewGlobalRef(env, weak);
    return class_class && weak_class;
}

struct ch_value_seen ch_left_of(JNIEnv *env, jobject element) {
    struct ch_value_seen v = {.kind = CH_VALUE_OBJECT, .object = element};
    jclass c = (*env)->GetObjectClass(env, element);
    if ((*env)->IsSameObject(env, c, class_class))
        v = (struct ch_value_seen){.kind = CH_VALUE_OBJECT, .of = element};
    else if ((*env)->IsSameObject(env, c, weak_class))
        v.object = (*env)->GetObjectField(env, element, referent);
    if (!v.object && !v.of) v.kind = CH_VALUE_NONE;
    (*env)->DeleteLocalRef(env, c);
    return v;
}
