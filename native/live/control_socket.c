/* The control socket, DATA/PID-START.ctl, beside the data file: a line in, lines of JSON out (control_commands.c). One
 * thread serves it; both exist only once they are needed.
 *
 * 1. The socket has mode 0600 from the moment it exists, and whoever connects must be the JVM's user or root, by what
 *    the kernel says.
 * 2. The thread waits for all clients at once and never for one: what is not read stays in memory, up to a limit and
 *    for a while.
 * 3. Commands are executed one after the other, on this thread.
 * 4. It ends when the agent is detached, and at VMDeath.
 */
#include "../base/waiting.h"
#include "live.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 32, LINE = 1 << 16, IDLE_MS = 10000, PATIENCE_MS = 3000 };

struct client {
    int fd; /* -1: free */
    size_t bytes, written;
    struct ch_reply reply;
    uint64_t deadline_ns;
    char line[LINE];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended; /* by CLOCK_MONOTONIC */
static bool runs, stopping;
static int listener = -1, wakes = -1;
static char path[4096 + 64];
static jobject own;
static struct client clients[CLIENTS];

/* ---- the socket */

/* The address in a directory of any length: by its descriptor. */
static bool address_of(int folder, const char *name, struct sockaddr_un *a) {
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(a->sun_path, sizeof a->sun_path, "/proc/self/fd/%d/%s", folder, name);
    return n > 0 && (size_t)n < sizeof a->sun_path;
}

static bool open_socket(struct ch_error *error) {
    struct sockaddr_un address;
    snprintf(path, sizeof path - sizeof ".ctl", "%s", ch_store_path());
    char *slash = strrchr(path, '/'), *end = slash ? strrchr(slash, '.') : NULL;
    if (!end) return false;
    *slash = 0;
    int at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    *slash = '/';
    strcpy(end, ".ctl"); /* no other JVM has a data file of this name, so there is no older socket to remove */
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool well = at >= 0 && listener >= 0 && address_of(at, slash + 1, &address) && !fchmod(listener, 0600);
    bool bound = well && !bind(listener, (struct sockaddr *)&address, sizeof address);
    well = bound && !chmod(path, 0600) && !listen(listener, 128);
    int why = errno;
    if (at >= 0) close(at);
    if (bound && !well) unlink(path);
    return well || ch_fail(error, "cannot make the control socket %s: %s", path, strerror(why));
}

static void close_all(void) {
    if (listener >= 0) close(listener);
    if (wakes >= 0) close(wakes);
    listener = wakes = -1;
}

static bool is_friend(int fd) {
    struct ucred peer;
    socklen_t n = sizeof peer;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) && (peer.uid == geteuid() || peer.uid == 0);
}

/* ---- clients */

static void drop(struct client *c) {
    ch_holds_leave(c->fd);
    close(c->fd);
    ch_reply_free(&c->reply);
    c->fd = c->reply.client = -1;
    c->bytes = c->written = 0;
}

/* The answer to a client that is dropped next. */
static void send_error(int fd, const char *line) { (void)!send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT); }

static void be_patient(struct client *c) { c->deadline_ns = ch_monotonic_ns() + IDLE_MS * 1000000ull; }

static void take_clients(void) {
    for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        size_t i = 0;
        while (i < CLIENTS && clients[i].fd >= 0) i++;
        if (is_friend(fd) && i < CLIENTS) {
            clients[i].fd = clients[i].reply.client = fd;
            be_patient(&clients[i]);
            continue;
        }
        if (i == CLIENTS) send_error(fd, "{\"error\": \"too many clients\"}\n");
        close(fd);
    }
}

/* Writes what the client takes. */
static void write_reply(struct client *c) {
    struct ch_reply *r = &c->reply;
    while (c->written < r->bytes) {
        ssize_t n = send(c->fd, r->text + c->written, r->bytes - c->written, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            c->written += (size_t)n;
            be_patient(c);
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else {
            drop(c);
            return;
        }
    }
    c->written = 0;
    ch_reply_free(r);
}

/* Executes the lines that are complete, one at a time; false: the last one ended the session. */
static bool obey(JNIEnv *env, struct client *c) {
    for (char *end; c->fd >= 0 && !c->reply.bytes && (end = memchr(c->line, '\n', c->bytes));) {
        size_t n = (size_t)(end + 1 - c->line);
        *end = 0;
        if (end > c->line && end[-1] == '\r') end[-1] = 0;
        bool go_on = ch_command(env, c->line, &c->reply);
        if (!c->reply.bytes) {
            send_error(c->fd, "{\"error\": \"the JVM has no memory for the answer\"}\n");
            drop(c);
            return go_on;
        }
        c->bytes -= n;
        memmove(c->line, c->line + n, c->bytes);
        be_patient(c);
        write_reply(c);
        if (!go_on) return false;
    }
    if (c->fd >= 0 && c->bytes == LINE) {
        send_error(c->fd, "{\"error\": \"the line is too long\"}\n");
        drop(c);
    }
    return true;
}

static bool read_lines(JNIEnv *env, struct client *c) {
    ssize_t n = recv(c->fd, c->line + c->bytes, LINE - c->bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) {
        drop(c);
        return true;
    }
    if (!c->bytes) be_patient(c); /* a client that holds a rule may have been silent for long */
    c->bytes += (size_t)n;
    return obey(env, c);
}

/* ---- the thread */

/* A client that holds a rule may be silent between two commands. */
static bool may_wait(const struct client *c) { return !c->bytes && !c->reply.bytes && ch_holds(c->fd); }

static bool serve(JNIEnv *env) {
    enum { LOOKS_MS = 1000, AGAIN_MS = 100 };
    int timeout = ch_holds_settle(env) ? -1 : AGAIN_MS;
    struct pollfd polled[CLIENTS + 2] = {{.fd = wakes, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    for (size_t i = 0; i < CLIENTS; i++) {
        if (timeout < 0 && clients[i].fd >= 0 && !may_wait(&clients[i])) timeout = LOOKS_MS;
        polled[i + 2] = (struct pollfd){.fd = clients[i].fd, .events = clients[i].reply.bytes ? POLLOUT : POLLIN};
    }
    if (poll(polled, CLIENTS + 2, timeout) < 0 && errno != EINTR) return false;
    if (polled[0].revents) return false;
    if (polled[1].revents) take_clients();
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *c = &clients[i];
        if (c->fd < 0 || c->fd != polled[i + 2].fd) continue;
        if (polled[i + 2].revents & POLLOUT) {
            write_reply(c);
            if (!obey(env, c)) return false;
        } else if (polled[i + 2].revents && !read_lines(env, c)) {
            return false;
        }
        if (c->fd >= 0 && ch_monotonic_ns() > c->deadline_ns && !may_wait(c)) drop(c);
    }
    return true;
}

static void JNICALL control(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    ch_java_thread_ended(); /* nor samples: it is not the program's */
    prctl(PR_SET_NAME, "classhook ctl");
    for (bool go_on = true; go_on && ch_local_frame(env, 32); (*env)->PopLocalFrame(env, NULL)) go_on = serve(env);
    for (size_t i = 0; i < CLIENTS; i++)
        if (clients[i].fd >= 0) drop(&clients[i]);
    ch_holds_forget();
    pthread_mutex_lock(&lock);
    unlink(path);
    close_all();
    if (!stopping) (*env)->DeleteGlobalRef(env, own);
    own = NULL;
    runs = false;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

const char *ch_control_start(JNIEnv *env, struct ch_error *error) {
    static bool prepared;
    pthread_mutex_lock(&lock);
    bool well = runs;
    if (!runs) {
        if (!prepared) {
            for (size_t i = 0; i < CLIENTS; i++) clients[i].fd = -1;
            ch_condition_init(&ended);
            prepared = true;
        }
        stopping = false;
        own = ch_new_thread(env, "classhook ctl");
        wakes = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        bool opened = own && wakes >= 0 && open_socket(error);
        well = runs =
            opened &&
            ch_check(error, (*ch_jvmti)->RunAgentThread(ch_jvmti, own, control, NULL, JVMTI_THREAD_NORM_PRIORITY),
                     "a thread for the control socket");
        if (opened && !well) unlink(path);
        if (!well) {
            close_all();
            if (own) (*env)->DeleteGlobalRef(env, own);
            own = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return well ? path : NULL;
}

void ch_control_stop(void) {
    const struct timespec end = ch_in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
    pthread_mutex_lock(&lock);
    if (runs) {
        stopping = true;
        (void)!write(wakes, &(uint64_t){1}, sizeof(uint64_t));
        while (runs && !pthread_cond_timedwait(&ended, &lock, &end)) {}
        if (runs) unlink(path); /* a command takes longer: the JVM may end meanwhile */
    }
    pthread_mutex_unlock(&lock);
}
