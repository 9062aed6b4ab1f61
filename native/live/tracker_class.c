/* The tracker class: it is defined by the boot loader, once in a JVM's life, and gets its natives.
 *
 * In a JVM that runs, HotSpot does not find the natives of a library that is just being attached, and a class whose
 * initialiser has failed stays unusable. So they are registered, when the class is linked and not yet initialised.
 * HotSpot warns of registered natives of the boot loader's classes, unless a class of that loader asks: Class.forName
 * is that class.
 */
#include "live.h"
#include <dlfcn.h>
#include <stdio.h>
#include "tracker_class.h"

static bool defined, waits;

bool ch_tracker_is_there(void) { return defined; }

static jclass define(JNIEnv *env) {
#define VARIANT(bytes) (*env)->DefineClass(env, CH_TRACKER, NULL, (const jbyte *)(bytes), (jsize)sizeof(bytes))
    if (ch_values_start(env)) return VARIANT(tracker_values);
    return ch_jvm_version >= CH_CARRIERS ? VARIANT(tracker_carrier) : VARIANT(tracker_plain);
#undef VARIANT
}

bool ch_tracker_define(JNIEnv *env, struct ch_error *error) {
    if (defined) return true;
    if (!ch_jvm_prepare(env))
        return ch_fail(
            error,
            "this JDK (%d) lacks what classhook needs: `classhook self doctor` says what; this JVM is not instrumented",
            ch_jvm_version);
    jclass c = define(env);
    if (!c) {
        (*env)->ExceptionClear(env);
        return ch_fail(
            error, "the tracker class could not be defined (another copy of the agent?); this JVM is not instrumented");
    }
    defined = ch_loader_query_prepare(env, c);
    return defined || ch_fail(error, "no memory for the tracker class; this JVM is not instrumented");
}

bool ch_tracker_link(JNIEnv *env) {
    enum { UNUSED_SLOTS = CH_ALLOC_SLOTS + CH_PACED_SLOTS }; /* for link in native/tracker/ */
    _Static_assert(CH_COUNT_SLOTS <= CH_ALLOC_SLOTS && CH_PROFILE_SLOTS <= CH_ALLOC_SLOTS, "these use an allocation's");
    jclass c = ch_boot_class(env, "java.lang.ClasshookTracker");
    jmethodID link = c ? (*env)->GetStaticMethodID(env, c, "link", "(I)V") : NULL;
    if (!link) return false;
    (*env)->CallStaticVoidMethod(env, c, link, (jint)ch_slots_take(UNUSED_SLOTS));
    return !(*env)->ExceptionCheck(env);
}

void ch_tracker_linked(JNIEnv *env, jclass c) {
    static const JNINativeMethod natives[] = {TRACKER_NATIVES};
    enum { NATIVES = sizeof natives / sizeof *natives };
    JNINativeMethod found[NATIVES];
    char name[64];
    Dl_info self;
    if (!waits || !ch_name_of_class(c, name, sizeof name) || !ch_is_tracker(NULL, name)) return;
    waits = false;
    void *library = dladdr((void *)(uintptr_t)ch_tracker_linked, &self)
                        ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)
                        : NULL;
    for (int i = 0; i < NATIVES; i++) {
        char symbol[128];
        snprintf(symbol, sizeof symbol, "Java_java_lang_ClasshookTracker_%s", natives[i].name);
        found[i] = natives[i];
        if (!library || !(found[i].fnPtr = dlsym(library, symbol))) return;
    }
    (*env)->RegisterNatives(env, c, found, NATIVES);
}

bool ch_tracker_initialise(JNIEnv *env) {
    waits = true;
    return ch_initialise(env, "java.lang.ClasshookTracker") && !waits;
}
