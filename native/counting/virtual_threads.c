/* Virtual threads: what moves from carrier to carrier with them. VirtualThread.mount and unmount call these (instrument/weaving/class_weaver.py). */
#include "attribution.h"
#include "shadow_stacks.h"
#include "tracker_natives.h"

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_mountedOn(JNIEnv *env, jclass c, jlong id, jthread carrier) {
    (void)c;
    ch_may_move();
    if (ch_self.virtual_id) ch_scopes_end(env, carrier); /* VirtualThread was not woven when that one unmounted */
    ch_stack_mounted(id);
    if (id) ch_scopes_mounted(env, carrier, id);
    return ch_moved(0);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_unmountingFrom(JNIEnv *env, jclass c, jthread carrier) {
    (void)c;
    ch_may_move();
    int64_t id = ch_stack_leaves();
    if (id && ch_tree()) ch_path_unmounting(id);
    if (id) ch_scopes_unmounting(env, carrier, id);
    ch_stack_unmounting(id);
    return ch_moved(0);
}
