/* Natives of the tracker that may move a thread to another block: the tracker stores its address in the Thread object
 * (native/tracker/Moving.java). All else that moves a thread has it stored at once (thread_blocks.c).
 *
 * A native may call Java code, whose probes may call another such native. The inner one then has what was moved before
 * stored, and the outer one stores at once what it moves afterwards. No code that such a native calls moves the thread
 * in another way meanwhile.
 */
#include "../contexts/attribution.h"
#include "../timing/shadow_stacks.h"
#include "tracker_natives.h"

enum { PAGE_BITS = 12, ADDRESS_BITS = 48 };

void ch_thread_counts_in(JNIEnv *env, jthread thread, struct ch_block *b) {
    if (ch_self.tracker_stores && b && !ch_block_is_shared(b))
        ch_self.moved = true;
    else
        ch_thread_store(env, thread, b);
}

void ch_may_move(void) { ch_self.tracker_stores = true; }

jlong ch_moved(jint number) {
    uint64_t n = (uint32_t)number, address = ch_self.moved ? (uint64_t)(uintptr_t)ch_self.block->slots.base : 0;
    ch_self.tracker_stores = ch_self.moved = false;
    return (jlong)(n >> PAGE_BITS << ADDRESS_BITS | address | (n & ((1u << PAGE_BITS) - 1)));
}

/* Stores the thread's block where the stack was too short for the tracker. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_settle(JNIEnv *env, jclass c, jthread carrier) {
    (void)c;
    ch_thread_store(env, carrier, ch_self.block);
}
