/* A library to preload: calls that classhook's own libraries make fail by their number.
 *
 *     FAULTS=KIND:FIRST:LAST:NOTES[:LIBRARY]   calls FIRST to LAST of this kind fail; the first call is 1, none is 0
 *
 * 1. A call is ours if its return address lies in a library whose name contains `libclasshook`, or LIBRARY.
 * 2. Each call of the kind is noted in NOTES: two numbers, of all calls and of those that failed, then a number for each
 *    call: where it returns to, as an offset in its library, with the library's number in the highest byte.
 * 3. Functions of JVMTI and JNI are wrapped in the tables that the JVM gives to the agent. Those that only give back what
 *    was taken never fail.
 * 4. Arguments pass through as six words, which are in registers: none is a floating point number, and what lies on the stack
 *    stays where it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <jvmti.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS long a, long b, long c, long d, long e, long f
#define PASSED a, b, c, d, e, f
#define CALLER ((uintptr_t)__builtin_return_address(0))
enum { MOST_CALLS = 1 << 17, MOST_LIBRARIES = 4, MOST_FUNCTIONS = 160 };
typedef long function(WORDS);

enum kind { MEMORY, FILES, WRITES, READS, MAPS, THREADS, SOCKETS, LIBRARIES, JVMTI, JNI, NONE };
static const char *const kinds[] = {"memory",  "files",   "writes",    "reads", "maps",
                                    "threads", "sockets", "libraries", "jvmti", "jni"};

static struct notes {
    _Atomic uint64_t calls, failed;
    uint64_t from[MOST_CALLS];
} *notes;
static struct library {
    uintptr_t begin, end;
} libraries[MOST_LIBRARIES];
static _Atomic int library_count;
static enum kind wanted = NONE;
static uint64_t first, last;
static char other[64];

static void read_wish(void) {
    static bool done;
    char word[32], path[1024];
    const char *text = getenv("FAULTS");
    if (done || !text) return;
    done = true;
    if (sscanf(text, "%31[^:]:%lu:%lu:%1023[^:]:%63s", word, &first, &last, path, other) < 4) return;
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || syscall(SYS_ftruncate, file, sizeof *notes)) return;
    notes = (void *)syscall(SYS_mmap, NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    for (int i = 0; i < NONE; i++)
        if (!strcmp(kinds[i], word)) wanted = (enum kind)i;
}

static int add_library(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    if (!strstr(info->dlpi_name, "libclasshook") && !(*other && strstr(info->dlpi_name, other))) return 0;
    struct library one = {info->dlpi_addr, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > one.end) one.end = end;
    }
    for (int i = 0; i < library_count; i++)
        if (libraries[i].begin == one.begin) return 0;
    if (library_count < MOST_LIBRARIES) {
        libraries[library_count] = one;
        library_count++;
    }
    return 0;
}

static bool is_ours(uintptr_t at) {
    for (int i = 0; i < library_count; i++)
        if (at - libraries[i].begin < libraries[i].end - libraries[i].begin) return true;
    return false;
}

static bool fails(enum kind kind, uintptr_t caller) {
    if (kind != wanted || !notes) return false;
    for (int i = 0; i < library_count; i++) {
        if (caller - libraries[i].begin >= libraries[i].end - libraries[i].begin) continue;
        uint64_t n = ++notes->calls;
        if (n <= MOST_CALLS) notes->from[n - 1] = (uint64_t)i << 56 | (caller - libraries[i].begin);
        bool wrong = n >= first && n <= last;
        if (wrong) notes->failed++;
        return wrong;
    }
    return false;
}

/* ---- functions of the C library: what they return, and errno */

static void *next(const char *name) {
    static void *(*real)(void *, const char *);
    if (!real) {
        real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        if (!real) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
        if (!real) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
    }
    return real(RTLD_NEXT, name);
}

/* malloc's names in glibc: to look for them takes memory */
extern function __libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign;

#define WRAPPED(kind, name, real_one, result, error) \
    long wrapped_##name(WORDS) __asm__(#name); \
    long wrapped_##name(WORDS) { \
        static function *real; \
        if (!real) real = real_one; \
        if (fails(kind, CALLER)) { \
            errno = error; \
            return result; \
        } \
        return real(PASSED); \
    }
#define FAILS(kind, name, result, error) WRAPPED(kind, name, (function *)next(#name), result, error)

WRAPPED(MEMORY, malloc, __libc_malloc, 0, ENOMEM)
WRAPPED(MEMORY, calloc, __libc_calloc, 0, ENOMEM)
WRAPPED(MEMORY, realloc, __libc_realloc, 0, ENOMEM)
WRAPPED(MEMORY, aligned_alloc, __libc_memalign, 0, ENOMEM)
FAILS(MEMORY, posix_memalign, ENOMEM, errno)
FAILS(MEMORY, strdup, 0, ENOMEM)
FAILS(MEMORY, strndup, 0, ENOMEM)
FAILS(MEMORY, asprintf, -1, ENOMEM)
FAILS(MEMORY, __asprintf_chk, -1, ENOMEM)
FAILS(MEMORY, open_memstream, 0, ENOMEM)
FAILS(FILES, open, -1, EMFILE)
FAILS(FILES, open64, -1, EMFILE)
FAILS(FILES, __open_2, -1, EMFILE)
FAILS(FILES, __open64_2, -1, EMFILE)
FAILS(FILES, openat, -1, EMFILE)
FAILS(FILES, openat64, -1, EMFILE)
FAILS(FILES, fopen, 0, EMFILE)
FAILS(FILES, fopen64, 0, EMFILE)
FAILS(FILES, fdopen, 0, ENOMEM)
FAILS(FILES, opendir, 0, EMFILE)
FAILS(FILES, memfd_create, -1, EMFILE)
FAILS(FILES, mkdir, -1, EACCES)
FAILS(FILES, rename, -1, EACCES)
FAILS(FILES, renameat2, -1, EINVAL)
FAILS(FILES, link, -1, EPERM)
FAILS(FILES, linkat, -1, EPERM)
FAILS(FILES, symlink, -1, EPERM)
FAILS(FILES, unlink, -1, EBUSY)
FAILS(FILES, dup, -1, EMFILE)
FAILS(FILES, pipe, -1, EMFILE)
FAILS(FILES, pipe2, -1, EMFILE)
FAILS(FILES, eventfd, -1, EMFILE)
FAILS(FILES, timerfd_create, -1, EMFILE)
FAILS(FILES, syscall, -1, ENOSYS)
FAILS(WRITES, write, -1, ENOSPC)
FAILS(WRITES, pwrite, -1, ENOSPC)
FAILS(WRITES, pwrite64, -1, ENOSPC)
FAILS(WRITES, writev, -1, ENOSPC)
FAILS(WRITES, fwrite, 0, ENOSPC)
FAILS(WRITES, fflush, -1, ENOSPC)
FAILS(WRITES, fclose, -1, ENOSPC)
FAILS(WRITES, ftruncate, -1, ENOSPC)
FAILS(WRITES, ftruncate64, -1, ENOSPC)
FAILS(WRITES, posix_fallocate, ENOSPC, errno)
FAILS(WRITES, posix_fallocate64, ENOSPC, errno)
FAILS(WRITES, fallocate, -1, ENOSPC)
FAILS(WRITES, fallocate64, -1, ENOSPC)
FAILS(WRITES, fsync, -1, EIO)
FAILS(WRITES, msync, -1, EIO)
FAILS(WRITES, futimens, -1, EPERM)
FAILS(WRITES, copy_file_range, -1, EIO)
FAILS(WRITES, sendfile, -1, EIO)
FAILS(READS, read, -1, EIO)
FAILS(READS, pread, -1, EIO)
FAILS(READS, pread64, -1, EIO)
FAILS(READS, fread, 0, EIO)
FAILS(READS, fgets, 0, EIO)
FAILS(READS, getline, -1, EIO)
FAILS(READS, readdir, 0, EIO)
FAILS(READS, readdir64, 0, EIO)
FAILS(READS, readlink, -1, EIO)
FAILS(READS, realpath, 0, EIO)
FAILS(READS, stat, -1, EIO)
FAILS(READS, stat64, -1, EIO)
FAILS(READS, lstat, -1, EIO)
FAILS(READS, lstat64, -1, EIO)
FAILS(READS, fstat, -1, EIO)
FAILS(READS, fstat64, -1, EIO)
FAILS(READS, statfs, -1, EIO)
FAILS(READS, statfs64, -1, EIO)
FAILS(READS, access, -1, EIO)
FAILS(READS, lseek, -1, EINVAL)
FAILS(READS, lseek64, -1, EINVAL)
FAILS(READS, flock, -1, ENOLCK)
FAILS(READS, fcntl, -1, EINVAL)
FAILS(READS, fcntl64, -1, EINVAL)
FAILS(READS, getrlimit, -1, EPERM)
FAILS(READS, getrlimit64, -1, EPERM)
FAILS(READS, getrandom, -1, ENOSYS)
FAILS(READS, getentropy, -1, ENOSYS)
FAILS(MAPS, mmap, -1, ENOMEM)
FAILS(MAPS, mmap64, -1, ENOMEM)
FAILS(MAPS, mremap, -1, ENOMEM)
FAILS(MAPS, mprotect, -1, ENOMEM)
FAILS(MAPS, madvise, -1, EINVAL)
FAILS(THREADS, pthread_create, EAGAIN, errno)
FAILS(THREADS, pthread_key_create, EAGAIN, errno)
FAILS(THREADS, pthread_setspecific, ENOMEM, errno)
FAILS(THREADS, pthread_attr_init, ENOMEM, errno)
FAILS(THREADS, pthread_attr_setstack, EINVAL, errno)
FAILS(THREADS, pthread_attr_setstacksize, EINVAL, errno)
FAILS(THREADS, pthread_getattr_np, ENOMEM, errno)
FAILS(THREADS, pthread_atfork, ENOMEM, errno)
FAILS(THREADS, sigaction, -1, EINVAL)
FAILS(THREADS, sigaltstack, -1, ENOMEM)
FAILS(THREADS, timer_create, -1, EAGAIN)
FAILS(THREADS, timer_settime, -1, EINVAL)
FAILS(THREADS, setenv, -1, ENOMEM)
FAILS(THREADS, atexit, -1, ENOMEM)
FAILS(THREADS, __cxa_atexit, -1, ENOMEM)
FAILS(SOCKETS, socket, -1, EMFILE)
FAILS(SOCKETS, bind, -1, EADDRINUSE)
FAILS(SOCKETS, listen, -1, EADDRINUSE)
FAILS(SOCKETS, accept, -1, EMFILE)
FAILS(SOCKETS, accept4, -1, EMFILE)
FAILS(SOCKETS, connect, -1, ECONNREFUSED)
FAILS(SOCKETS, send, -1, EPIPE)
FAILS(SOCKETS, recv, -1, ECONNRESET)
FAILS(SOCKETS, poll, -1, ENOMEM)
FAILS(SOCKETS, ppoll, -1, ENOMEM)
FAILS(SOCKETS, setsockopt, -1, ENOMEM)
FAILS(SOCKETS, getsockopt, -1, ENOMEM)
FAILS(LIBRARIES, dlopen, 0, ENOMEM)
FAILS(LIBRARIES, dladdr, 0, ENOMEM)

/* ---- JVMTI: an error that each function may return */

static const void *jvmti_before[MOST_FUNCTIONS];
static void *jvmti_table[MOST_FUNCTIONS];

#define OF(number) \
    static long jvmti_##number(WORDS) { \
        return fails(JVMTI, CALLER) ? JVMTI_ERROR_OUT_OF_MEMORY : ((function *)jvmti_before[0x##number])(PASSED); \
    }
#define NAME(number) (void *)jvmti_##number,
#define SIXTEEN(x, high) \
    x(high##0) x(high##1) x(high##2) x(high##3) x(high##4) x(high##5) x(high##6) x(high##7) x(high##8) x(high##9) \
        x(high##a) x(high##b) x(high##c) x(high##d) x(high##e) x(high##f)
#define ALL(x) \
    SIXTEEN(x, 0) \
    SIXTEEN(x, 1) \
    SIXTEEN(x, 2) SIXTEEN(x, 3) SIXTEEN(x, 4) SIXTEEN(x, 5) SIXTEEN(x, 6) SIXTEEN(x, 7) SIXTEEN(x, 8) SIXTEEN(x, 9)
ALL(OF)
static void *const jvmti_failing[] = {ALL(NAME)};

#define NEVER(name) offsetof(struct jvmtiInterface_1_, name) / sizeof(void *)
static const size_t jvmti_never[] = {NEVER(Deallocate), NEVER(RawMonitorEnter), NEVER(RawMonitorExit),
                                     NEVER(DisposeEnvironment), NEVER(DestroyRawMonitor)};

static void wrap_jvmti(void **env) {
    size_t n = sizeof(struct jvmtiInterface_1_) / sizeof(void *);
    memcpy(jvmti_before, *env, n * sizeof(void *));
    memcpy(jvmti_table, *env, n * sizeof(void *));
    for (size_t i = 0; i < n; i++)
        if (jvmti_before[i]) jvmti_table[i] = jvmti_failing[i];
    for (size_t i = 0; i < sizeof jvmti_never / sizeof *jvmti_never; i++)
        jvmti_table[jvmti_never[i]] = (void *)(uintptr_t)jvmti_before[jvmti_never[i]];
    *env = jvmti_table;
}

/* ---- JNI: what a function returns, and whether it throws OutOfMemoryError, too */

static struct JNINativeInterface_ *jni;

static long thrown(JNIEnv *env, long result) {
    jclass memory = jni->FindClass(env, "java/lang/OutOfMemoryError");
    if (memory) jni->ThrowNew(env, memory, "a fault of the tests");
    return result;
}

#define OF_JNI(FAILING, VARIADIC) \
    FAILING(FindClass, thrown(env, 0)) \
    FAILING(DefineClass, thrown(env, 0)) \
    FAILING(GetMethodID, thrown(env, 0)) \
    FAILING(GetStaticMethodID, thrown(env, 0)) \
    FAILING(GetFieldID, thrown(env, 0)) \
    FAILING(GetStaticFieldID, thrown(env, 0)) \
    FAILING(NewGlobalRef, 0) \
    FAILING(NewWeakGlobalRef, thrown(env, 0)) \
    FAILING(NewLocalRef, 0) \
    FAILING(NewString, thrown(env, 0)) \
    FAILING(NewStringUTF, thrown(env, 0)) \
    FAILING(NewByteArray, thrown(env, 0)) \
    FAILING(NewLongArray, thrown(env, 0)) \
    FAILING(NewObjectArray, thrown(env, 0)) \
    FAILING(AllocObject, thrown(env, 0)) \
    FAILING(NewDirectByteBuffer, thrown(env, 0)) \
    FAILING(GetStringUTFChars, 0) \
    FAILING(GetByteArrayElements, 0) \
    FAILING(GetPrimitiveArrayCritical, 0) \
    FAILING(ToReflectedMethod, thrown(env, 0)) \
    FAILING(ToReflectedField, thrown(env, 0)) \
    FAILING(RegisterNatives, thrown(env, -1)) \
    FAILING(PushLocalFrame, thrown(env, -1)) \
    FAILING(EnsureLocalCapacity, thrown(env, -1)) \
    VARIADIC(NewObject, jobject) \
    VARIADIC(CallObjectMethod, jobject) \
    VARIADIC(CallBooleanMethod, jboolean) \
    VARIADIC(CallIntMethod, jint) \
    VARIADIC(CallLongMethod, jlong) \
    VARIADIC(CallStaticObjectMethod, jobject) \
    VARIADIC(CallStaticBooleanMethod, jboolean)

#define FAILING_JNI(name, result) \
    static long jni_##name(WORDS) { \
        JNIEnv *env = (JNIEnv *)a; \
        (void)env; \
        if (fails(JNI, CALLER)) return result; \
        return ((function *)(void (*)(void))jni->name)(PASSED); \
    }
#define VARIADIC_JNI(name, type) \
    static type jni_##name(JNIEnv *env, jobject on, jmethodID method, ...) { \
        va_list args; \
        if (fails(JNI, CALLER)) return (type)thrown(env, 0); \
        va_start(args, method); \
        type result = jni->name##V(env, on, method, args); \
        va_end(args); \
        return result; \
    }
OF_JNI(FAILING_JNI, VARIADIC_JNI)

static void JNICALL wrap_jni(jvmtiEnv *own, JNIEnv *env) {
    struct JNINativeInterface_ *table = NULL;
    (void)env;
    if ((*own)->GetJNIFunctionTable(own, &jni) || (*own)->GetJNIFunctionTable(own, &table)) return;
#define PUT(name, more) table->name = (void *)(uintptr_t)jni_##name;
    OF_JNI(PUT, PUT)
    (*own)->SetJNIFunctionTable(own, table);
}

/* ---- between the JVM and the agent */

static const struct JNIInvokeInterface_ *invoke;
static jint (*load)(JavaVM *vm, char *options, void *reserved);

static jint JNICALL get_env(JavaVM *vm, void **env, jint version) {
    jint result = invoke->GetEnv(vm, env, version);
    if (!result && (version & 0x30000000) == 0x30000000 && is_ours(CALLER)) wrap_jvmti(*env);
    return result;
}

static jint load_agent(JavaVM *vm, char *options, void *reserved) {
    static struct JNIInvokeInterface_ table;
    static const jvmtiEventCallbacks callbacks = {.VMStart = wrap_jni};
    jvmtiEnv *own = NULL;
    if (wanted == JNI && !(*vm)->GetEnv(vm, (void **)&own, JVMTI_VERSION_1_2)) {
        (*own)->SetEventCallbacks(own, &callbacks, sizeof callbacks);
        (*own)->SetEventNotificationMode(own, JVMTI_ENABLE, JVMTI_EVENT_VM_START, NULL);
    }
    invoke = *vm;
    table = **vm;
    table.GetEnv = get_env;
    if (wanted == JVMTI) *vm = &table;
    return load(vm, options, reserved);
}

long wrapped_dlsym(WORDS) __asm__("dlsym");
long wrapped_dlsym(WORDS) {
    static function *real;
    if (!real) real = (function *)next("dlsym");
    const char *name = (const char *)b;
    bool loads = !strcmp(name, "Agent_OnLoad");
    if (!loads && library_count && !is_ours(CALLER)) return real(PASSED);
    if (!loads && fails(LIBRARIES, CALLER)) return 0;
    long found = real(PASSED);
    read_wish();
    if (notes && (loads || is_ours(CALLER))) dl_iterate_phdr(add_library, NULL);
    if (!loads || !is_ours((uintptr_t)found)) return found;
    load = (jint (*)(JavaVM *, char *, void *))found;
    return (long)load_agent;
}
