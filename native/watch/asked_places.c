/* The native of the tracker that asks where a field is: the one that a probe's condition, key or value names by this
 * step. It runs no Java. */
#include "tracker_natives.h"
#include "watch.h"

/* The way of this comparison, counted from the left. */
static struct ch_way *way_of_term(struct ch_condition *c, uint32_t *term) {
    if (c->op == 'E' || c->op == 'A') return NULL; /* its comparisons are not counted */
    if (c->first) {
        struct ch_way *found = way_of_term(c->first, term);
        return found ? found : way_of_term(c->second, term);
    }
    return (*term)-- || c->left.op != CH_OPERAND_WAY ? NULL : &c->left.way;
}

/* The way that a probe asks about, and the class from whose fields on its first step is (a signature). */
static struct ch_way *way_of(JNIEnv *env, uint32_t slot, uint32_t term, const char **first) {
    const struct ch_watch *w = ch_watch_of(slot);
    if (!w) return term ? ch_key_way(env, slot) : ch_value_way(env, slot);
    struct ch_way *way = w->condition ? way_of_term(w->condition, &term) : NULL;
    if (way && way->root == CH_ROOT_THIS) *first = w->class_name;
    return way;
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_placeOf(JNIEnv *env, jclass c, jobject o, jint slot,
                                                                jint asked) {
    const char *first = NULL;
    (void)c;
    uint32_t term = (uint32_t)asked >> CH_ASKED_TERM & (CH_ASKED_TERMS - 1),
             i = (uint32_t)asked & ((1 << CH_ASKED_TERM) - 1);
    struct ch_way *way = o ? way_of(env, (uint32_t)slot, term, &first) : NULL;
    if (!way || i >= way->steps) return CH_PLACE_UNSURE;
    jlong place = ch_place_of(env, o, &way->step[i], i ? NULL : first);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return CH_PLACE_UNSURE;
    }
    return place;
}
