/* Handles a page of the data file that the disk has no room for, or that was cut off: the page is replaced by memory of
 * the process, and the thread that touched it keeps counting. The report says that data is missing.
 *
 * A store into a hole of a file on a full disk raises SIGBUS in that thread. The handler knows the agent's regions and
 * passes every other SIGBUS on to the JVM's handler. With -Xcheck:jni the JVM would complain about a foreign handler,
 * so none is installed.
 */
#include "base.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded {
    uintptr_t base;
    size_t bytes;
    struct guarded *next;
};

static struct guarded *list; /* entries are only added, so the handler walks it without a lock */
static struct sigaction before;
static uintptr_t page;
static bool said;
static uint32_t *refused; /* number of pages without room, and of what had no memory */

bool ch_guard(void *base, size_t bytes) {
    struct guarded *g = malloc(sizeof *g);
    if (!g) return false;
    *g = (struct guarded){(uintptr_t)base, bytes, NULL};
    ch_push(&list, g, next);
    return true;
}

static void say_parts(const char *a, const char *b, const char *c) {
    char text[256] = "";
    strncat(text, a, 80), strncat(text, b, 60), strncat(text, c, 100);
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

void ch_guard_say(const char *why) {
    if (!ch_exchange_relaxed(&said, true))
        say_parts("classhook: no room for the data file (", why,
                  "): counting continues; what does not fit is missing from the report\n");
}

void ch_no_memory(void) {
    static bool said_once;
    if (ch_exchange_relaxed(&said_once, true)) return; /* it may happen in each call of a method */
    if (refused) ch_add_relaxed(refused, 1);
    say_parts("classhook: no memory", "", ": counting continues; what needed it is missing from the report\n");
}

/* Async-signal-safe, as is everything it calls. */
static bool replace(uintptr_t at) {
    struct guarded *g = ch_load_acquire(&list);
    while (g && at - g->base >= g->bytes) g = g->next;
    if (!g) return false;
    void *p =
        mmap((void *)(at & ~(page - 1)), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (p == MAP_FAILED) return false;
    ch_add_relaxed(refused, 1);
    ch_guard_say("No space left on device");
    return true;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
    int error = errno;
    if (info->si_code > 0 && replace((uintptr_t)info->si_addr)) {
        errno = error;
        return;
    }
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
        sigaction(number, &before, NULL); /* the store is repeated and takes its default effect */
    else
        before.sa_handler(number);
}

/* True if the command line or one of the variables contains -Xcheck:jni. */
static bool checks_jni(const char *command, size_t bytes) {
    static const char *const variables[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};
    if (memmem(command, bytes, "-Xcheck:jni", 11)) return true;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        if (text && strstr(text, "-Xcheck:jni")) return true;
    }
    return false;
}

void ch_guard_start(uint32_t *count, const char *command, size_t bytes) {
    struct sigaction ours = {.sa_sigaction = on_bus_error,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER};
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigemptyset(&ours.sa_mask);
    refused = count;
    if (!checks_jni(command, bytes)) sigaction(SIGBUS, &ours, &before);
}
