/* Classes that are changed later, as one of their methods runs a loop now (running_loops.c). A thread that has the
 * session's turn may call these. */
#include "classes.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static struct postponed {
    jweak class;
    char *text; /* which loop, in which thread */
    /* the record of it in the data file; NULL: a session ends, and its file says nothing of what is restored later */
    struct ch_meta *said;
} list[MOST];
static size_t count;

size_t ch_postponed(void) { return count; }
const char *ch_postponed_text(size_t i) { return list[i].text; }

jint ch_postponed_classes(JNIEnv *env, jclass **classes) {
    jclass *to = *classes = calloc(count + 1, sizeof *to);
    jint n = 0;
    (void)ch_local_room(env, (jint)count + 64);
    for (size_t i = 0; to && i < count; i++)
        if ((to[n] = (*env)->NewLocalRef(env, list[i].class))) n++; /* else it was unloaded */
    return n;
}

/* In the data file: it is not as the rules want it, until the record is withdrawn. */
static struct ch_meta *say(jclass c, const char *text) {
    char name[1024];
    return ch_load_acquire(&ch_hook_on) && ch_name_of_class(c, name, sizeof name)
               ? ch_skip_for_now(name, "loop-running", text)
               : NULL;
}

/* A record that it had goes on. */
static struct postponed entry_of(JNIEnv *env, jclass c, const char *text) {
    struct postponed p = {.text = strdup(text)};
    for (size_t i = 0; i < count && !p.class; i++) {
        if (!list[i].class || !(*env)->IsSameObject(env, list[i].class, c)) continue;
        p.class = list[i].class;
        if (ch_load_acquire(&ch_hook_on)) p.said = list[i].said;
        list[i].class = NULL;
        list[i].said = NULL;
    }
    if (!p.class) p.class = (*env)->NewWeakGlobalRef(env, c);
    if (p.text && !p.said) p.said = say(c, text);
    return p;
}

static void forget(JNIEnv *env, struct postponed *p) {
    if (p->said && ch_load_acquire(&ch_hook_on)) ch_meta_void(p->said);
    if (p->class) (*env)->DeleteWeakGlobalRef(env, p->class);
    free(p->text);
    *p = (struct postponed){0};
}

jint ch_postpone(JNIEnv *env, jint n, jclass *classes, uint64_t ns) {
    struct ch_running_loop *loops = ns && n ? malloc(MOST * sizeof *loops) : NULL;
    uint32_t found = loops ? ch_running_loops(env, n, classes, ns, loops, MOST) : 0;
    struct postponed now[MOST];
    size_t kept = 0;
    for (uint32_t i = 0; i < found; i++) {
        struct postponed p = entry_of(env, classes[loops[i].of], loops[i].text);
        if (p.class && p.text)
            now[kept++] = p;
        else
            forget(env, &p);
        loops[i].of = p.class ? loops[i].of : -1;
    }
    for (size_t i = 0; i < count; i++) forget(env, &list[i]);
    memcpy(list, now, kept * sizeof *now);
    count = kept;
    for (jint at = n; at-- > 0;) /* to the end, from the last one on */
        for (uint32_t i = 0; i < found; i++) {
            if (loops[i].of != at) continue;
            jclass c = classes[at];
            classes[at] = classes[--n];
            classes[n] = c;
            break;
        }
    free(loops);
    return n;
}
