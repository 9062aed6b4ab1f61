/* A list of sampled objects in Java's heap, for a heap dump: it has their ids, but not what the agent knows of them.
 *
 * 1. The list is an array of objects. Its first element is an array of long: two numbers that say what it is, the
 *    process's number, and the rows of the objects (sampled_objects.c). The others are weak references to the objects,
 *    in that order: the list keeps none of them alive.
 * 2. A reader of the dump finds the array of long by its first numbers, and the list by its first element.
 * 3. Garbage is collected first. With ZGC and Shenandoah, some releases of HotSpot do not collect before a dump, and
 *    then dump what is found by weak references, too.
 * 4. Objects that are sampled after they were counted are not in the list.
 */
#include "objects.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 3 };

struct list {
    jobjectArray references;
    jlong *numbers; /* with the head */
    jsize n, room;
    jclass reference;
    jmethodID make;
};

static void count(JNIEnv *env, jobject object, uint32_t row, void *to) {
    struct list *l = to;
    (void)env, (void)object, (void)row;
    l->room++;
}

static void add(JNIEnv *env, jobject object, uint32_t row, void *to) {
    struct list *l = to;
    if (l->n >= l->room) return;
    jobject made = (*env)->NewObject(env, l->reference, l->make, object);
    if ((*env)->ExceptionCheck(env) || !made) {
        (*env)->ExceptionClear(env);
        return; /* the heap is full */
    }
    (*env)->SetObjectArrayElement(env, l->references, l->n + 1, made);
    (*env)->DeleteLocalRef(env, made);
    l->numbers[HEAD + l->n++] = row;
}

/* The number for a text, in the order of bytes that a dump has: two of them begin a list. */
static jlong begin(const char text[8]) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++) number = number << 8 | (unsigned char)text[i];
    return (jlong)number;
}

static bool fill(JNIEnv *env, struct list *l) {
    jclass object = ch_boot_class(env, "java.lang.Object");
    l->reference = ch_boot_class(env, "java.lang.ref.WeakReference");
    l->make = l->reference ? (*env)->GetMethodID(env, l->reference, "<init>", "(Ljava/lang/Object;)V") : NULL;
    if (!l->make || !object || !ch_objects_each(env, count, l) || l->room > INT32_MAX - HEAD) return false;
    if (l->room && ch_may_collect()) (void)(*ch_jvmti)->ForceGarbageCollection(ch_jvmti);
    l->references = (*env)->NewObjectArray(env, l->room + 1, object, NULL);
    if (!l->references || !(l->numbers = malloc(((size_t)l->room + HEAD) * sizeof *l->numbers))) return false;
    l->numbers[0] = begin("CLSHOOK\n");
    l->numbers[1] = begin("OBJECTS\n");
    l->numbers[2] = getpid();
    ch_objects_each(env, add, l);
    jlongArray numbers = (*env)->NewLongArray(env, HEAD + l->n);
    if (!numbers) return false;
    (*env)->SetLongArrayRegion(env, numbers, 0, HEAD + l->n, l->numbers);
    (*env)->SetObjectArrayElement(env, l->references, 0, numbers);
    return true;
}

jobject ch_objects_list(JNIEnv *env) {
    struct ch_silence silence = {0};
    struct list l = {0};
    if (!ch_local_frame(env, 64)) return NULL;
    ch_silence(env, &silence);
    jobject list = fill(env, &l) ? (*env)->NewGlobalRef(env, l.references) : NULL;
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    ch_silence_end(env, &silence);
    free(l.numbers);
    (*env)->PopLocalFrame(env, NULL);
    return list;
}
