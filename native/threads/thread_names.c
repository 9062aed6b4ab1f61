/* The rule `threads`: whose counts are whose.
 *
 * 1. A thread counts by the name that it had at its beginning, whatever it is called later. It counts in a block of
 *    this name and of no other, so a probe costs what it costs without; and the stacks that samplers take of it are
 *    below a node of the name.
 * 2. The data that a program's threads leave is bounded, however many they are. Of names that differ in their last
 *    number only, MOST_ALIKE are kept; further threads count by one name (`Thread-*`). So they do when the data would
 *    otherwise get too large (blocks.c), and when there are MOST_NAMES, further names are `[others]`. Counts are never
 *    moved, so sums are exact at any time, also if the process is killed.
 * 3. Virtual threads count by one name, as do their carriers, on which all that they do is counted: most have no name,
 *    and there may be millions.
 * 4. A thread that began before the agent, or before the rule, has its name when it needs a block, or when a sampler
 *    sees it. What it counts in a block that it had before belongs to no name.
 */
#include "../base/jdk_members.h"
#include "thread_names.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 2000, MOST_ALIKE = 256, LONGEST = 255 /* UTF-16 units of a name */ };

struct known {
    uint32_t hash;
    char *name;
    struct ch_thread_name *is;
};
static CH_TABLE(struct known) names; /* patterns are among them. Under the agent's lock, as what they lead to */
static uint32_t described; /* names that threads have */

/* ---- names */

/* The name as Java has it, in modified UTF-8. False: it has none yet. */
static bool name_of(JNIEnv *env, jthread thread, char name[3 * LONGEST + 1]) {
    static jfieldID field;
    jfieldID known = ch_load_acquire(&field);
    if (!known) {
        known = ch_jdk_field(env, CH_JDK_THREAD_NAME, NULL);
        ch_store_release(&field, known);
    }
    jstring text = known ? (*env)->GetObjectField(env, thread, known) : NULL;
    if (!text) return false;
    jsize units = (*env)->GetStringLength(env, text);
    memset(name, 0, 3 * LONGEST + 1);
    (*env)->GetStringUTFRegion(env, text, 0, units < LONGEST ? units : LONGEST, name);
    (*env)->DeleteLocalRef(env, text);
    if (!*name) strcpy(name, "[no name]");
    return true;
}

static bool is_virtual(JNIEnv *env, jthread thread) {
    static const char *const classes[] = {"Ljava/lang/VirtualThread;", "Ljdk/internal/misc/CarrierThread;",
                                          "Ljava/lang/ThreadBuilders$BoundVirtualThread;"};
    jclass c = (*env)->GetObjectClass(env, thread);
    char *signature = NULL;
    bool found = false;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) {
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) found |= !strcmp(signature, classes[i]);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, c);
    return found;
}

/* Replaces the last number in a name by an asterisk. False: there is none. */
static bool pattern_of(char *name) {
    size_t end = strlen(name);
    while (end && !(name[end - 1] >= '0' && name[end - 1] <= '9')) end--;
    size_t first = end;
    while (first && name[first - 1] >= '0' && name[first - 1] <= '9') first--;
    if (!end) return false;
    name[first] = '*';
    memmove(name + first + 1, name + end, strlen(name + end) + 1);
    return true;
}

/* ---- names that threads count by; lock held */

static bool is_named(const void *entry, const void *name) { return !strcmp(((const struct known *)entry)->name, name); }

static struct ch_thread_name *add(const char *name, uint32_t hash) {
    struct known k = {hash, strdup(name), calloc(1, sizeof *k.is)};
    if (k.name && k.is && ch_table_add(&names, hash, &k)) return k.is;
    free(k.name);
    free(k.is);
    return NULL;
}

/* NULL: there is no memory. */
static struct ch_thread_name *find(const char *name, bool make) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){0, 0}, name, strlen(name)).low;
    struct known *k = ch_table_find(&names, hash, is_named, name);
    return k ? k->is : make ? add(name, hash) : NULL;
}

/* A thread has it. */
static struct ch_thread_name *describe(struct ch_thread_name *n, const char *name) {
    if (!n || n->slot) return n;
    uint32_t slot = ch_slots_take(1);
    if (!slot) slot = ch_slots_take(1); /* 0 is no name */
    if (slot == UINT32_MAX) return NULL;
    n->slot = slot;
    described++;
    ch_meta_add(CH_META_THREAD_NAME, slot, 0, name, strlen(name));
    return n;
}

static struct ch_thread_name *kept_name(const char *name) {
    static const char others[] = "[others]";
    char pattern[3 * LONGEST + 2];
    struct ch_thread_name *known = find(name, false);
    if (known && known->slot) return known;
    strcpy(pattern, name);
    bool room = described < MOST_NAMES && names.table.used < 4 * MOST_NAMES, numbered = room && pattern_of(pattern);
    struct ch_thread_name *alike = numbered ? find(pattern, true) : NULL;
    if (alike && (alike->alike >= MOST_ALIKE || !ch_blocks_may_be_more())) return describe(alike, pattern);
    if (alike) alike->alike++;
    const char *chosen = room ? name : others;
    return describe(find(chosen, true), chosen);
}

/* NULL: it has no name yet, or there is no room. */
static struct ch_thread_name *thread_name_of(JNIEnv *env, jthread thread) {
    char name[3 * LONGEST + 1] = "[virtual threads]";
    if (!is_virtual(env, thread) && !name_of(env, thread, name)) return NULL;
    ch_lock();
    struct ch_thread_name *n = kept_name(name);
    ch_unlock();
    return n;
}

/* ---- threads */

void ch_thread_name_self(JNIEnv *env, jthread thread) {
    if (ch_self.thread_name || !ch_wanted.threads_named || (*env)->ExceptionCheck(env)) return;
    struct ch_thread_name *n = thread_name_of(env, thread);
    if (!n) return;
    ch_self.thread_name = n;
    ch_self.number = n->slot;
    ch_add_relaxed(ch_shared_slot(n->slot), 1);
}

void ch_thread_told_apart(JNIEnv *env, jthread thread) {
    if (!ch_wanted.threads_apart) return;
    if (ch_wanted.threads_named)
        ch_thread_name_self(env, thread);
    else
        ch_self.number = ch_java_number(env, thread);
}

uint32_t ch_thread_number(JNIEnv *env, jthread thread) {
    if (!ch_wanted.threads_named) return ch_java_number(env, thread);
    const struct ch_thread_name *n = thread_name_of(env, thread);
    return n ? n->slot : 0;
}
