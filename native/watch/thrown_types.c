/* The supertypes of what is thrown, for `count throws`: the report compares them with rules that have a `+`. The agent
 * does not know the rules of classes that were woven ahead of time, so it writes all of them; they are loaded. */
#include "../base/local_references.h"
#include "keys.h"
#include <string.h>

enum { ROOM = 8192, MOST_NAME = 1024, DEEPEST = 64 };

struct names { /* each ends with a zero */
    char text[ROOM];
    size_t n;
};

static void add(JNIEnv *env, struct names *to, jclass c, int depth) {
    char name[MOST_NAME];
    jclass *interfaces = NULL;
    jint n = 0;
    if (depth == DEEPEST || !ch_name_of_class(c, name, sizeof name)) return;
    size_t bytes = strlen(name) + 1;
    if (bytes > ROOM - to->n) return;
    memcpy(to->text + to->n, name, bytes);
    to->n += bytes;
    jclass super = (*env)->GetSuperclass(env, c);
    if (super) add(env, to, super, depth + 1);
    if (super) (*env)->DeleteLocalRef(env, super);
    if ((*ch_jvmti)->GetImplementedInterfaces(ch_jvmti, c, &n, &interfaces)) return;
    for (jint i = 0; i < n; i++) {
        add(env, to, interfaces[i], depth + 1);
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)interfaces);
}

void ch_tell_supertypes(JNIEnv *env, jobject thrown) {
    struct names names = {.n = 0};
    jclass c = (*env)->GetObjectClass(env, thrown);
    if (ch_local_room(env, 512)) add(env, &names, c, 0); /* -Xcheck:jni counts them */
    (*env)->DeleteLocalRef(env, c);
    if (names.n && !ch_was_said(names.text, names.n)) ch_meta_add(CH_META_SUPERTYPES, 0, 0, names.text, names.n - 1);
}
