/* Keeping to a budget: the methods that are too hot to be timed are only counted from then on.
 *
 * 1. A thread of the agent's looks at what the timing of each method under a budget has cost so far: the measured cost of a probe for
 *    each activation that was timed, and COMPILED times as much for one that is called often enough to be compiled, since most of
 *    what probes cost a program that has just started is the compilers' work on them (docs/decisions.md).
 * 2. Where all that is more than the budget's part of the CPU time so far, methods are given up, first those whose time is least
 *    beside what taking it costs: tiny hot ones.
 * 3. Their classes are retransformed together, and get probes that count and know nothing of time (hook.c).
 */
#include "agent.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMPILED = 20000, COMPILED_CALLS = 200 /* HotSpot's Tier3InvocationThreshold */ };
enum { FIRST_LOOK_MS = 40, LONGEST_MS = 5000 };

struct watched {
    uint32_t slot, class;
    uint64_t cost_ps;
    double worth; /* time measured over cost of measuring it */
    bool given_up;
};
struct class {
    char *name; /* internal */
    uint32_t first_slot;
    struct ch_key table; /* hash of its probe table */
    bool changed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the tables */
static struct watched *methods;
static struct class *classes;
static size_t method_count, method_room, class_count, class_room;

static bool make_room(void **table, size_t *room, size_t used, size_t each) {
    if (used < *room) return true;
    size_t more = *room ? *room * 2 : 1024;
    void *fresh = realloc(*table, more * each);
    if (!fresh) return false;
    *table = fresh;
    *room = more;
    return true;
}

/* ---- what there is to watch */

void ch_budget_class(uint32_t first_slot, const char *table, size_t bytes) {
    size_t n = strcspn(table + 2, "\t\n"); /* C<TAB>name<TAB>... is its first line */
    char *name = strndup(table + 2, n);
    if (!name) return;
    for (char *at = name; *at; at++)
        if (*at == '.') *at = '/';
    pthread_mutex_lock(&lock);
    if (make_room((void **)&classes, &class_room, class_count, sizeof *classes))
        classes[class_count++] = (struct class){name, first_slot, ch_hash((struct ch_key){0, 0}, table, bytes), false};
    else
        free(name);
    pthread_mutex_unlock(&lock);
}

void ch_budget_method(uint32_t slot) {
    pthread_mutex_lock(&lock);
    if (class_count && make_room((void **)&methods, &method_room, method_count, sizeof *methods))
        methods[method_count++] = (struct watched){.slot = slot, .class = (uint32_t)class_count - 1};
    pthread_mutex_unlock(&lock);
}

bool ch_budget_same(uint32_t first_slot, const char *table, size_t bytes) {
    struct ch_key key = ch_hash((struct ch_key){0, 0}, table, bytes);
    bool same = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < class_count && !same; i++)
        same = classes[i].first_slot == first_slot && classes[i].table.high == key.high && classes[i].table.low == key.low;
    pthread_mutex_unlock(&lock);
    return same;
}

/* ---- looking */

static void weigh(struct watched *m) {
    uint64_t calls = 0, timed = 0, total = 0;
    for (struct ch_block *b = ch_blocks(); b; b = b->next) {
        const struct ch_record *r = ch_record_at(b, m->slot);
        calls += *ch_slot(b, m->slot + 1);
        if (!r) continue;
        timed += r->timed;
        total += r->total;
    }
    m->cost_ps = (timed + (calls >= COMPILED_CALLS ? COMPILED : 0)) * ch_header->time_cost_ps;
    m->worth = (double)total / (double)(m->cost_ps + 1);
}

static int by_worth(const void *a, const void *b) {
    double x = methods[*(const uint32_t *)a].worth, y = methods[*(const uint32_t *)b].worth;
    return (x > y) - (x < y);
}

/* Gives up what the budget does not allow; lock held. How many that were. */
static size_t look(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    double cpu_ps = (double)t.tv_sec * 1e12 + (double)t.tv_nsec * 1e3, load = 0;
    uint32_t *order = malloc((method_count + 1) * sizeof *order);
    size_t n = 0, given_up = 0;
    if (!order) return 0;
    for (uint32_t i = 0; i < method_count; i++) {
        struct watched *m = &methods[i];
        if (m->given_up) continue;
        weigh(m);
        load += (double)m->cost_ps * 1000 / ch_pace_budget(m->slot);
        if (m->cost_ps >= COMPILED * ch_header->time_cost_ps) order[n++] = i;
    }
    if (load > cpu_ps) {
        qsort(order, n, sizeof *order, by_worth);
        for (size_t i = 0; i < n && load > cpu_ps * 0.7; i++) {
            struct watched *m = &methods[order[i]];
            load -= (double)m->cost_ps * 1000 / ch_pace_budget(m->slot);
            m->given_up = classes[m->class].changed = true;
            ch_pace_stop(m->slot);
            given_up++;
        }
    }
    free(order);
    return given_up;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void retransform(JNIEnv *env, char **names, size_t count) {
    jclass *loaded = NULL;
    jint n = 0, chosen = 0;
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &loaded)) return;
    for (jint i = 0; i < n; i++) {
        char *signature = NULL, *name;
        bool wanted = false;
        if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, loaded[i], &signature, NULL) && signature[0] == 'L') {
            signature[strlen(signature) - 1] = 0;
            name = signature + 1;
            wanted = bsearch(&name, names, count, sizeof *names, by_name) != NULL;
        }
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        if (wanted)
            loaded[chosen++] = loaded[i];
        else
            (*env)->DeleteLocalRef(env, loaded[i]);
    }
    /* where the JVM refuses, they are just not timed any more */
    if (chosen) (*ch_jvmti)->RetransformClasses(ch_jvmti, chosen, loaded);
    (*env)->ExceptionClear(env);
    for (jint i = 0; i < chosen; i++) (*env)->DeleteLocalRef(env, loaded[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)loaded);
}

static void JNICALL watch(jvmtiEnv *jvmti, JNIEnv *env, void *nothing) {
    (void)jvmti, (void)nothing;
    for (long wait = FIRST_LOOK_MS; ch_hook_on; wait = wait * 3 / 2 < LONGEST_MS ? wait * 3 / 2 : LONGEST_MS) {
        nanosleep(&(struct timespec){wait / 1000, wait % 1000 * 1000000}, NULL);
        char **names = NULL;
        size_t n = 0;
        pthread_mutex_lock(&lock);
        size_t gu = 0;
        if ((gu = look()) && (names = malloc(class_count * sizeof *names)))
            for (size_t i = 0; i < class_count; i++)
                if (classes[i].changed) {
                    classes[i].changed = false;
                    names[n++] = classes[i].name;
                }
        pthread_mutex_unlock(&lock);
        uint64_t start = ch_monotonic_ns();
        if (n) {
            qsort(names, n, sizeof *names, by_name);
            retransform(env, names, n);
        }
        if (getenv("XWATCH")) ch_say("watch: of %zu methods %zu given up, %zu classes, %.1f ms", method_count, gu, n, (double)(ch_monotonic_ns() - start) / 1e6);
        free(names);
    }
}

bool ch_budget_start(JNIEnv *env) {
    jclass c = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID make = c ? (*env)->GetMethodID(env, c, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring name = make ? (*env)->NewStringUTF(env, "classhook") : NULL;
    jobject thread = name ? (*env)->NewObject(env, c, make, name) : NULL;
    return thread && ch_ok((*ch_jvmti)->RunAgentThread(ch_jvmti, thread, watch, NULL, JVMTI_THREAD_NORM_PRIORITY), "a thread");
}
