/* The rule `threads`: whose counts are whose.
 *
 * 1. A thread has a label from its beginning on: its name then. Threads of one name have one label. A thread counts in
 *    a block of its label and of no other, so a probe costs what it costs without; and the stacks that samplers take of
 *    it are below a node of the label.
 * 2. The data that a program's threads leave is bounded, however many they are. If names differ only in their last
 *    number, MOST_ALIKE have labels of their own; further threads have one label (`Thread-*`). So they have when the
 *    data would otherwise get too large (blocks.c), and when there are MOST_LABELS, further names are `[others]`.
 *    Counts are never moved, so sums are exact at any time, also if the process is killed.
 * 3. Virtual threads have one label, as do their carriers, on which all that they do is counted: most have no name, and
 *    there may be millions.
 * 4. A thread that began before the agent, or before the rule, has its label when it needs a block, or when a sampler
 *    sees it. Its counts in a block that it had before belong to no label.
 */
#include "../base/jdk_members.h"
#include "thread_labels.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 2000, MOST_ALIKE = 256, LONGEST = 255 /* UTF-16 units of a name */ };

struct known {
    uint32_t hash;
    char *name;
    struct ch_label *label;
};
static CH_TABLE(struct known) labels; /* by name; patterns are among them. Under the agent's lock, as are labels */
static uint32_t described; /* labels that threads have */

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

/* ---- labels; lock held */

static bool is_named(const void *entry, const void *name) { return !strcmp(((const struct known *)entry)->name, name); }

static struct ch_label *add(const char *name, uint32_t hash) {
    struct known k = {hash, strdup(name), calloc(1, sizeof *k.label)};
    if (k.name && k.label && ch_table_add(&labels, hash, &k)) return k.label;
    free(k.name);
    free(k.label);
    return NULL;
}

/* NULL: there is no memory. */
static struct ch_label *find(const char *name, bool make) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){0, 0}, name, strlen(name)).low;
    struct known *k = ch_table_find(&labels, hash, is_named, name);
    return k ? k->label : make ? add(name, hash) : NULL;
}

/* A thread has it. */
static struct ch_label *describe(struct ch_label *l, const char *name) {
    if (!l || l->slot) return l;
    uint32_t slot = ch_slots_take(1);
    if (!slot) slot = ch_slots_take(1); /* 0 is no label */
    if (slot == UINT32_MAX) return NULL;
    l->slot = slot;
    described++;
    ch_meta_add(CH_META_THREAD_NAME, slot, 0, name, strlen(name));
    return l;
}

static struct ch_label *label_named(const char *name) {
    static const char others[] = "[others]";
    char pattern[3 * LONGEST + 2];
    struct ch_label *known = find(name, false);
    if (known && known->slot) return known;
    strcpy(pattern, name);
    bool room = described < MOST_LABELS && labels.table.used < 4 * MOST_LABELS, numbered = room && pattern_of(pattern);
    struct ch_label *alike = numbered ? find(pattern, true) : NULL;
    if (alike && (alike->alike >= MOST_ALIKE || !ch_blocks_may_be_more())) return describe(alike, pattern);
    if (alike) alike->alike++;
    const char *chosen = room ? name : others;
    return describe(find(chosen, true), chosen);
}

/* NULL: it has no name yet, or there is no room. */
static struct ch_label *label_of(JNIEnv *env, jthread thread) {
    char name[3 * LONGEST + 1] = "[virtual threads]";
    if (!is_virtual(env, thread) && !name_of(env, thread, name)) return NULL;
    ch_lock();
    struct ch_label *l = label_named(name);
    ch_unlock();
    return l;
}

/* ---- threads */

void ch_label_self(JNIEnv *env, jthread thread) {
    if (ch_self.label || !ch_wanted.threads_labelled || (*env)->ExceptionCheck(env)) return;
    struct ch_label *l = label_of(env, thread);
    if (!l) return;
    ch_self.label = l;
    ch_self.number = l->slot;
    ch_add_relaxed(ch_shared_slot(l->slot), 1);
}

void ch_thread_told_apart(JNIEnv *env, jthread thread) {
    if (!ch_wanted.threads_apart) return;
    if (ch_wanted.threads_labelled)
        ch_label_self(env, thread);
    else
        ch_self.number = ch_java_number(env, thread);
}

uint32_t ch_thread_number(JNIEnv *env, jthread thread) {
    if (!ch_wanted.threads_labelled) return ch_java_number(env, thread);
    const struct ch_label *l = label_of(env, thread);
    return l ? l->slot : 0;
}
