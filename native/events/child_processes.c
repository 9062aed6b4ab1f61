/* Processes that tests start: what runs in their JVMs belongs to the test.
 *
 * 1. Java starts processes by one native method, ProcessImpl.forkAndExec, on the thread that asks for it. It gets the
 *    environment as a block of bytes.
 * 2. If that thread belongs to a test, the block gets one more variable, with this JVM's process id and the test's
 *    context. Neither this JVM's environment nor the map of a ProcessBuilder has it.
 * 3. A JVM that finds the variable belongs to that context as a whole, as far as it runs no tests itself, and takes it
 *    out of its environment. Processes that it starts get the same variable.
 * 4. Where the program has replaced the environment, the child has no agent. Its block stays as it is, and a record
 *    says that the test has started a process of which nothing is known.
 * 5. All others are noted, too, since it is not known yet whether they, or what they start, are JVMs with the agent.
 */
#include "../contexts/attribution.h"
#include "../contexts/known_contexts.h"
#include "events.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "CLASSHOOK_TEST"

/* ---- the test that started this JVM */

static struct ch_context_entered *started_by; /* NULL: none did */
static char *passed_on; /* the variable's value */

struct ch_context_entered *ch_started_by(void) { return started_by; }

void ch_started_by_test(void) {
    const char *value = ch_wanted.tests ? getenv(VARIABLE) : NULL;
    char *name = NULL;
    unsigned long pid = value ? strtoul(value, &name, 10) : 0;
    if (!pid || pid > INT32_MAX || *name != ' ' || !name[1] || !(passed_on = strdup(value))) return;
    unsetenv(VARIABLE);
    name = passed_on + (name - value) + 1;
    started_by = ch_context_of(CH_NO_PROBE, name, (uint32_t)strlen(name));
    ch_meta_add(CH_META_STARTED_BY, (uint32_t)pid, 0, name, strlen(name));
    if (started_by) ch_ambient_at_start(started_by);
}

/* `NAME=PID CONTEXT`; malloc'ed. NULL: this thread belongs to no test, or there is no memory. */
static char *variable(void) {
    const struct ch_context_entered *test = ch_scope_test();
    if (!test) return NULL;
    size_t room = sizeof VARIABLE + 16 + (test == started_by ? strlen(passed_on) : test->bytes);
    char *text = malloc(room);
    if (text && test == started_by)
        snprintf(text, room, VARIABLE "=%s", passed_on);
    else if (text)
        snprintf(text, room, VARIABLE "=%d %.*s", (int)getpid(), (int)test->bytes, test->key);
    return text;
}

/* ---- blocks: variables, each ended by a zero byte */

struct block {
    char *text;
    size_t bytes;
    jint n;
    bool complete; /* there was memory for all */
};

static void append(struct block *b, const char *entry) {
    size_t n = strlen(entry) + 1;
    char *more = b->complete ? realloc(b->text, b->bytes + n) : NULL;
    b->complete = more != NULL;
    if (!more) return;
    memcpy(more + b->bytes, entry, n);
    b->text = more;
    b->bytes += n;
    b->n++;
}

/* Copies the child's environment; without a block, this process's own. */
static struct block copied(JNIEnv *env, jbyteArray given, jint count) {
    struct block b = {.complete = true};
    for (char **entry = environ; !given && entry && *entry; entry++) append(&b, *entry);
    if (!given) return b;
    jsize bytes = (*env)->GetArrayLength(env, given);
    b.n = count;
    b.bytes = (size_t)bytes;
    b.text = malloc(b.bytes + 1);
    b.complete = b.text != NULL;
    if (!b.text) return b;
    (*env)->GetByteArrayRegion(env, given, 0, bytes, (jbyte *)b.text);
    b.text[b.bytes] = 0; /* it ends in any case */
    return b;
}

/* True if a JVM that gets this variable gets the agent. */
static bool passes_agent_on(const char *entry) {
    static const char *const names[] = {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(entry, names[i], strlen(names[i]))) return strstr(entry, "libclasshook") != NULL;
    return false;
}

static bool has_agent(const struct block *b) {
    for (size_t at = 0; at < b->bytes; at += strlen(b->text + at) + 1)
        if (passes_agent_on(b->text + at)) return true;
    return false;
}

static jbyteArray array_of(JNIEnv *env, const struct block *b) {
    jbyteArray array = b->complete && b->bytes < INT32_MAX ? (*env)->NewByteArray(env, (jsize)b->bytes) : NULL;
    if (array)
        (*env)->SetByteArrayRegion(env, array, 0, (jsize)b->bytes, (const jbyte *)b->text);
    else
        (*env)->ExceptionClear(env);
    return array;
}

/* ---- the native method */

typedef jint(JNICALL *function)(JNIEnv *env, jobject self, jint mode, jbyteArray helper, jbyteArray program,
                                jbyteArray arguments, jint n, jbyteArray environment, jint variables,
                                jbyteArray directory, jintArray descriptors, jboolean redirects);
static function jdks;

static void note(JNIEnv *env, uint32_t context, jint pid, jbyteArray program) {
    char name[4096] = "";
    jsize n = program ? (*env)->GetArrayLength(env, program) : 0;
    if (n > (jsize)sizeof name - 1) n = sizeof name - 1;
    if (n > 0) (*env)->GetByteArrayRegion(env, program, 0, n, (jbyte *)name);
    ch_meta_add(CH_META_STARTED, context, (uint32_t)pid, name, strlen(name));
}

static jint JNICALL fork_and_exec(JNIEnv *env, jobject self, jint mode, jbyteArray helper, jbyteArray program,
                                  jbyteArray arguments, jint n, jbyteArray environment, jint variables,
                                  jbyteArray directory, jintArray descriptors, jboolean redirects) {
    bool noted = ch_wanted.tests && ch_load_relaxed(&ch_hook_on) && !ch_self.silent;
    char *more = noted ? variable() : NULL;
    uint32_t context = more ? ch_scope_test()->slot : 0;
    jbyteArray array = NULL;
    if (more) {
        struct block b = copied(env, environment, variables);
        bool known = b.complete && has_agent(&b);
        if (known) append(&b, more);
        array = known ? array_of(env, &b) : NULL;
        if (array) variables = b.n;
        free(b.text);
    }
    jint pid = jdks(env, self, mode, helper, program, arguments, n, array ? array : environment, variables, directory,
                    descriptors, redirects);
    /* there is an id of a program that is missing, too */
    bool started = noted && pid > 0 && !(*env)->ExceptionCheck(env);
    if (started && more && !array)
        ch_meta_add(CH_META_UNSEEN, context, 0, "", 0);
    else if (started)
        note(env, context, pid, program);
    free(more);
    return pid;
}

void ch_child_process_bound(const char *symbol, jmethodID method, void *address, void **instead) {
    char *descriptor = NULL;
    if (strcmp(symbol, "Java_java_lang_ProcessImpl_forkAndExec") ||
        (*ch_jvmti)->GetMethodName(ch_jvmti, method, NULL, &descriptor, NULL))
        return;
    if (!strcmp(descriptor, "(I[B[B[BI[BI[B[IZ)I")) {
        *(void **)&jdks = address;
        *(function *)instead = fork_and_exec;
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
}
