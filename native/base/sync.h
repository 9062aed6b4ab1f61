/* Access to data that threads read and write at the same time: ch_load_acquire(&x), ch_store_release(&x, value),
 * ch_add_relaxed(&x, 1), ...
 *
 * 1. These are GCC's and Clang's builtins, on fields of the usual types: those in the data file are read by other
 *    processes, too. A variable that is shared without a lock is only used by these operations, so that the compiler
 *    neither repeats nor tears an access.
 * 2. The ending names the order (C11): relaxed, of this variable alone; acquire, what the writer wrote before its
 *    release is seen; without an ending, one order of all such operations for all threads.
 * 3. `volatile` is for what the compiler must not leave out although no thread shares it: costs that are measured
 *    (timing/pacing.c).
 */
#ifndef CLASSHOOK_SYNC_H
#define CLASSHOOK_SYNC_H

#define ch_load_relaxed(from) __atomic_load_n(from, __ATOMIC_RELAXED)
#define ch_load_acquire(from) __atomic_load_n(from, __ATOMIC_ACQUIRE)
#define ch_load(from) __atomic_load_n(from, __ATOMIC_SEQ_CST)

#define ch_store_relaxed(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)
#define ch_store_release(to, value) __atomic_store_n(to, value, __ATOMIC_RELEASE)
#define ch_store(to, value) __atomic_store_n(to, value, __ATOMIC_SEQ_CST)

/* These return what was there before. */
#define ch_add_relaxed(to, n) __atomic_fetch_add(to, n, __ATOMIC_RELAXED)
#define ch_add(to, n) __atomic_fetch_add(to, n, __ATOMIC_SEQ_CST)
#define ch_sub_relaxed(to, n) __atomic_fetch_sub(to, n, __ATOMIC_RELAXED)
#define ch_sub(to, n) __atomic_fetch_sub(to, n, __ATOMIC_SEQ_CST)
#define ch_exchange_relaxed(at, value) __atomic_exchange_n(at, value, __ATOMIC_RELAXED)
#define ch_exchange_acquire(at, value) __atomic_exchange_n(at, value, __ATOMIC_ACQUIRE)

/* True: `*expected` was there, and now `value` is; false: `*expected` is what is there. In a loop, for it may fail
 * without reason: */
#define ch_try_replace_relaxed(at, expected, value) \
    __atomic_compare_exchange_n(at, expected, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define ch_try_replace_release(at, expected, value) \
    __atomic_compare_exchange_n(at, expected, value, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
/* ... and once: */
#define ch_replace_relaxed(at, expected, value) \
    __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define ch_replace_release(at, expected, value) \
    __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
#define ch_replace_acquire(at, expected, value) \
    __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

#define ch_fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)

/* Puts `added` before the first one of a list that only grows, or is taken as a whole (ch_exchange_acquire). */
#define ch_push(list, added, next) \
    do { (added)->next = ch_load_relaxed(list); } while (!ch_try_replace_release(list, &(added)->next, added))
#endif
