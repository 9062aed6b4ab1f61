/* Calls Python: started when first needed, run by the calling thread on a separate stack.
 *
 * 1. The embedding library (built by embed.py; it needs libpython) lies beside the agent and is opened when a class
 *    must be woven for the first time. If the process already has a Python, classes that are neither in the cache nor
 *    woven ahead of time are not instrumented. The same holds if the program will start one itself, as jep does: it
 *    would find the agent's instead.
 * 2. Python runs on a stack of its own (base/python_stacks.c).
 * 3. Nothing here calls the JVM, except for one query at the start. No lock of the agent is held while Python runs,
 *    except while it starts.
 */
#include "../base/python_stacks.h"
#include "weaver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *pythonpath, *libpython; /* NULL: as known from the build */
static uint64_t timeout;       /* in ms */

/* False: no memory. */
static bool run_on_side_stack(void (*work)(void *), void *argument) {
    struct ch_python_stack *s = ch_python_stack_take();
    void *unused;
    if (!s) return false;
    ch_call_on_python_stack(s, work, argument, &unused);
    ch_python_stack_give(s);
    return true;
}

/* ---- starting Python */

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static enum { NOT_STARTED, READY, UNUSABLE } state;
static struct ch_embed embed;
static char trouble[2 * 4096 + 256]; /* why Python is unusable */
static const char *rules_text; /* empty: no rules */
static size_t rules_bytes;

static void load_rules(void *ok) {
    *(bool *)ok = embed.load(rules_text, rules_bytes, timeout);
    if (!*(bool *)ok) snprintf(trouble, sizeof trouble, "Python cannot read the rules");
}

/* True if the class path contains jep.jar or jep-VERSION.jar. */
static bool names_jep(const char *path) {
    for (const char *at = path; (at = strstr(at, "jep")); at += 3)
        if (at == path || at[-1] == '/' || at[-1] == ':') {
            size_t n = strcspn(at, "/:");
            bool is_file = at[n] != '/' && n >= 7 && !strncmp(at + n - 4, ".jar", 4);
            if (is_file && (n == 7 || (at[3] == '-' && at[4] >= '0' && at[4] <= '9'))) return true;
        }
    return false;
}

void ch_python_find_conflicts(void) {
    char *path = NULL;
    if ((*ch_jvmti)->GetSystemProperty(ch_jvmti, "java.class.path", &path) || !path) return;
    if (names_jep(path)) snprintf(trouble, sizeof trouble, "the program starts its own Python (jep)");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)path);
}

static void start_python(void *ok) {
    char error[1024] = "", path[4096] = "", *slash;
    Dl_info self;
    uint64_t start = ch_monotonic_ns();
    if (*trouble) return;
    if (ch_is_bundle()) {
        snprintf(trouble, sizeof trouble, "a bundle has no Python");
        return;
    }
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
        snprintf(trouble, sizeof trouble, "there is another Python in this process");
        return;
    }
    if (dladdr((void *)(uintptr_t)start_python, &self) && self.dli_fname)
        snprintf(path, sizeof path, "%s", self.dli_fname);
    slash = strrchr(path, '/');
    snprintf(slash ? slash + 1 : path, sizeof path - (size_t)(slash ? slash + 1 - path : 0), "libclasshook_python.so");
    if (libpython && !dlopen(libpython, RTLD_NOW | RTLD_GLOBAL)) {
        snprintf(trouble, sizeof trouble, "cannot open Python: %s", dlerror());
        return;
    }
    void *library = dlopen(path, RTLD_NOW);
    ch_embed_open *open = library ? (ch_embed_open *)(uintptr_t)dlsym(library, "ch_embed_open_python") : NULL;
    if (!open) {
        const char *why = library ? "it has no entry point" : dlerror();
        snprintf(trouble, sizeof trouble, "cannot open %s: %s", path, why ? why : "unknown error");
        return;
    }
    if (!open(&embed, pythonpath, error, sizeof error)) {
        snprintf(trouble, sizeof trouble, "Python does not start: %s", error);
        return;
    }
    *(bool *)ok = true;
    if (rules_text) load_rules(ok);
    if (ch_header) ch_header->python_ns = ch_monotonic_ns() - start;
}

bool ch_python_is_ready(void) {
    if (ch_load_acquire(&state) == NOT_STARTED) {
        pthread_mutex_lock(&start_lock);
        bool ok = false;
        if (state == NOT_STARTED) {
            if (!run_on_side_stack(start_python, &ok))
                snprintf(trouble, sizeof trouble, "no memory for Python's stack");
            ch_store_release(&state, ok ? READY : UNUSABLE);
        }
        pthread_mutex_unlock(&start_lock);
    }
    return state == READY;
}

const char *ch_python_trouble(void) { return trouble; }

static const char not_woven[] = "classes that would have to be woven here are not instrumented";

void ch_python_say_unusable(void) {
    static int said;
    if (!ch_exchange_relaxed(&said, 1)) ch_say("%s; %s", trouble, not_woven);
}

void ch_python_warn_unusable(struct ch_error *error) {
    if (ch_load_acquire(&state) == UNUSABLE) ch_warn(error, "%s; %s", trouble, not_woven);
}

void ch_python_start(const char *path, const char *library, uint64_t timeout_ms) {
    pythonpath = path ? strdup(path) : NULL;
    libpython = library ? strdup(library) : NULL;
    timeout = timeout_ms;
}

bool ch_python_rules(const char *text, size_t bytes) {
    bool ok = true;
    pthread_mutex_lock(&start_lock); /* another thread may be starting it */
    rules_text = text;
    rules_bytes = bytes;
    /* Python is already running if it had to compile the rules, or if these replace others */
    if (state == READY && !(run_on_side_stack(load_rules, &ok) && ok)) ch_store_release(&state, UNUSABLE);
    pthread_mutex_unlock(&start_lock);
    return ok;
}

char *ch_python_rules_copy(size_t *bytes) {
    *bytes = rules_bytes;
    return rules_text ? strndup(rules_text, rules_bytes) : NULL;
}

bool ch_python_has_rule(const char *rule) {
    size_t n = strlen(rule);
    bool found = false;
    pthread_mutex_lock(&start_lock);
    for (const char *at = rules_text, *end = at ? at + rules_bytes : at;
         !found && at && (at = memmem(at, (size_t)(end - at), rule, n)); at++)
        found = at > rules_text && at[-1] == '\t' && at + n < end && at[n] == '\n';
    pthread_mutex_unlock(&start_lock);
    return found;
}

/* ---- calls to Python */

struct weave_call {
    const char *name;
    const unsigned char *data;
    uint32_t bytes;
    bool done;
    const struct ch_about *about;
    struct ch_woven *out;
};

static void weave(void *argument) {
    struct weave_call *c = argument;
    c->done = embed.weave(c->name, c->data, c->bytes, c->about, c->out) == 0;
}

bool ch_python_weave(const char *name, const unsigned char *data, uint32_t bytes, const struct ch_about *about,
                     struct ch_woven *out) {
    struct weave_call c = {name, data, bytes, false, about, out};
    return run_on_side_stack(weave, &c) && c.done;
}

struct text_call {
    char *(*function)(const char *about, const char *text, size_t bytes, char **why);
    const struct ch_hub *hub; /* of a script, which has another function */
    const char *about, *text;
    size_t bytes;
    char *answer, *why;
};

static void call(void *argument) {
    struct text_call *c = argument;
    c->answer = c->hub ? embed.scripts(c->hub, c->about, c->text, c->bytes, &c->why)
                       : c->function(c->about, c->text, c->bytes, &c->why);
}

/* The answer; NULL after ch_fail. Python is ready. */
static char *answer_of(struct text_call *c, struct ch_error *error) {
    bool ran = run_on_side_stack(call, c);
    if (!c->answer)
        ch_fail(error, "%s", c->why ? c->why : ran ? "Python gave no answer" : "no memory for Python's stack");
    free(c->why);
    return c->answer;
}

static bool is_ready(struct ch_error *error) { return ch_python_is_ready() || ch_fail(error, "%s", trouble); }

char *ch_python_compile(const char *path, const char *rules, size_t bytes, struct ch_error *error) {
    if (!is_ready(error)) {
        ch_fail(error, "the rules %s are not compiled and cannot be read without Python", path);
        return NULL;
    }
    return answer_of(&(struct text_call){.function = embed.compile, .about = path, .text = rules, .bytes = bytes},
                     error);
}

char *ch_python_ask(const char *extension, const char *what, const char *text, size_t bytes, struct ch_error *error) {
    char about[64];
    if (!ch_python_is_ready()) {
        ch_fail(error, "%s needs Python: %s", extension, trouble);
        return NULL;
    }
    snprintf(about, sizeof about, "%s %s", extension, what);
    return answer_of(&(struct text_call){.function = embed.ask, .about = about, .text = text, .bytes = bytes}, error);
}

char *ch_python_without(const char *rule, struct ch_error *error) {
    if (!is_ready(error)) return NULL;
    return answer_of(
        &(struct text_call){.function = embed.without, .about = rule, .text = rules_text, .bytes = rules_bytes}, error);
}

static bool scripted;

char *ch_python_scripts(const struct ch_hub *hub, const char *request, const char *rules, size_t bytes,
                        struct ch_error *error) {
    if (!is_ready(error)) {
        ch_fail(error, "the scripts of handlers do not run");
        return NULL;
    }
    char *text = answer_of(
        &(struct text_call){
            .hub = hub, .about = request, .text = rules ? rules : rules_text, .bytes = rules ? bytes : rules_bytes},
        error);
    if (text) scripted = true;
    return text;
}

const struct ch_bridge *ch_python_bridge(void) { return scripted ? embed.events : NULL; }
