/* A native library that waits in the kernel, and does not ask why a wait ended early. */
#include <jni.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };
static char buffer[BYTES];
static volatile long sum;

/* How many of the calls were interrupted. */
JNIEXPORT jint JNICALL Java_Waits_interrupted(JNIEnv *env, jclass c, jint rounds) {
    (void)env, (void)c;
    sem_t never;
    struct timespec ms = {0, 1000000}, until;
    int zero = open("/dev/zero", O_RDONLY), n = 0;
    sem_init(&never, 0, 0);
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 100000; k++) sum += k;
        n += read(zero, buffer, BYTES) != BYTES;
        n += poll(NULL, 0, 1) < 0;
        n += nanosleep(&ms, NULL) != 0;
        clock_gettime(CLOCK_REALTIME, &until);
        n += sem_timedwait(&never, &until) != 0 && errno == EINTR;
    }
    close(zero);
    sem_destroy(&never);
    return n;
}
