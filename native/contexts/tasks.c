/* Tasks and new threads run in the context of the code that submitted them.
 *
 * 1. The object that stands for the task, or the thread, is tagged with the context of the thread that submits it, in
 *    an environment of JVMTI's that is used for nothing else. A tag goes with its object.
 * 2. Where the task runs, the thread enters that context, or leaves the one that it is in
 *    (instrument/weaving/hand_over.py).
 * 3. A task that is a value object has no tag of its own, so it runs in no context, which the report says.
 * 4. Tasks submitted outside of contexts have no tag, and as long as no context was entered, nothing is tagged.
 */
#include "attribution.h"
#include "tracker_natives.h"

static jvmtiEnv *tags; /* NULL: there are none */

void ch_tasks_start(void) {
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    static bool tried;
    jvmtiEnv *own = NULL;
    if (tried) return;
    tried = true;
    if (!(*ch_vm)->GetEnv(ch_vm, (void **)&own, JVMTI_VERSION_1_2) && !(*own)->AddCapabilities(own, &wanted))
        ch_store_release(&tags, own);
}

/* Reports that a task is not in the context of this thread. */
static void say_value(void) {
    static const char text[] = "tasks that are value objects run in no context: they have no identity, by which the "
                               "one that submitted them would be known";
    static bool said;
    if (ch_scope_context() && !ch_exchange_relaxed(&said, true)) ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
}

static struct ch_context_entered *context_of(jobject task) {
    jvmtiEnv *own = ch_load_acquire(&tags);
    jlong tag = 0;
    if (!own || !task || !ch_context_was_entered() || (*own)->GetTag(own, task, &tag)) return NULL;
    return (struct ch_context_entered *)(uintptr_t)tag;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_submitted(JNIEnv *env, jclass c, jobject task) {
    jvmtiEnv *own = ch_load_acquire(&tags);
    (void)c;
    if (!own || !task || !ch_context_was_entered() || ch_self.silent) return;
    if (ch_is_value(env, task)) {
        say_value();
        return;
    }
    (*own)->SetTag(own, task, (jlong)(uintptr_t)ch_scope_context());
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_taskBegins(JNIEnv *env, jclass c, jobject task,
                                                                   jthread carrier) {
    (void)c;
    ch_may_move();
    return ch_moved(task && ch_context_was_entered() ? ch_scope_of_task(env, carrier, context_of(task)) : 0);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_taskFollows(JNIEnv *env, jclass c, jobject task,
                                                                    jthread carrier) {
    (void)c;
    if (!task || !ch_context_was_entered()) return 0;
    ch_may_move();
    ch_scopes_end(env, carrier);
    ch_scope_of_task(env, carrier, context_of(task));
    return ch_moved(0);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_tasksEnd(JNIEnv *env, jclass c, jthread carrier) {
    (void)c;
    ch_may_move();
    ch_scopes_end(env, carrier);
    return ch_moved(0);
}

void ch_thread_inherits(JNIEnv *env, jthread thread) {
    if (ch_context_was_entered()) ch_scope_of_task(env, thread, context_of(thread));
}
