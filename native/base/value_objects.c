/* Value objects (JEP 401): objects without identity, whose `==` compares what is in them. JDK 28 has them with
 * --enable-preview; Integer, Optional and LocalDate are value classes then.
 *
 * 1. A weak reference to one cannot be made: JNI's function throws IdentityException. A tag of one is a tag of all that
 *    are equal to it; HotSpot never forgets it, and looks for it among all tags of the class. So value objects get no
 *    tags.
 * 2. Where two of one class are compared, HotSpot runs Java, as it does for their hash codes: on the thread's own
 *    stack, or it throws StackOverflowError.
 * 3. JNI and JVMTI of older headers lack what tells of them, which is found by its place.
 */
#include "base.h"
#include <string.h>

enum {
    FIRST_JVM = 28,
    HAS_IDENTITY = 236 /* place of JNI's function HasIdentity */,
    SUPPORT_VALUE_OBJECTS = 45 /* place of that capability */,
    ACC_IDENTITY = 0x20,
    ACC_INTERFACE = 0x200,
    ACC_ABSTRACT = 0x400
};

static jboolean(JNICALL *has_identity)(JNIEnv *env, jobject object); /* NULL: each object has one */

bool ch_values_start(JNIEnv *env) {
    jint modifiers = ACC_IDENTITY;
    if (has_identity || ch_jvm_version < FIRST_JVM) return has_identity;
    jclass c = ch_boot_class(env, "java.lang.Integer");
    if (c && !(*ch_jvmti)->GetClassModifiers(ch_jvmti, c, &modifiers) && !(modifiers & ACC_IDENTITY))
        memcpy(&has_identity, (void *const *)*env + HAS_IDENTITY, sizeof has_identity);
    if (c) (*env)->DeleteLocalRef(env, c);
    return has_identity;
}

bool ch_has_values(void) { return has_identity; }

bool ch_is_value(JNIEnv *env, jobject object) { return has_identity && object && !has_identity(env, object); }

bool ch_is_value_class(jvmtiEnv *jvmti, jclass c) {
    jint modifiers = 0;
    jboolean array = JNI_FALSE;
    if (!has_identity || (*jvmti)->IsArrayClass(jvmti, c, &array) || array ||
        (*jvmti)->GetClassModifiers(jvmti, c, &modifiers))
        return false;
    return !(modifiers & (ACC_IDENTITY | ACC_INTERFACE | ACC_ABSTRACT));
}

void ch_values_sampled(jvmtiEnv *jvmti) {
    jvmtiCapabilities wanted = {0};
    if (ch_jvm_version < FIRST_JVM) return;
    ((unsigned char *)&wanted)[SUPPORT_VALUE_OBJECTS / 8] |= 1u << SUPPORT_VALUE_OBJECTS % 8;
    (void)(*jvmti)->AddCapabilities(jvmti, &wanted);
}
