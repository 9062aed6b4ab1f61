/* Files that the program opens to read, looks at, or lists, each with its context and the methods of the program on the
 * stack: tests depend on them.
 *
 * 1. The JDK's ways to a file end in a few native methods. When the JVM binds one (NativeMethodBind), it is given a
 *    function of ours instead, which notes the path and calls the JDK's. No class is changed, and it works from the
 *    JVM's start on. After attaching they are bound, so nothing is noted.
 * 2. A record of the metadata has the context's slot, a path, and the methods that rules may match, innermost first.
 *    The same is noted once: a stack that was seen with this path and context costs little more than taking it.
 * 3. A library may keep what it read for whoever asks next. So a record also says whether only the JDK's plain input is
 *    between the file and the innermost of these methods.
 * 4. Scanners look at all files before any test begins. Files that are only looked at or listed, outside of contexts
 *    and below no such method, are left out.
 * 5. Class files and jars are opened by class loaders, too, and by scanners that only want to know what is declared.
 *    Reads below these are left out: classes that are loaded are known by what runs, and annotations by the classes
 *    themselves.
 */
#include "../base/jdk_members.h"
#include "../contexts/attribution.h"
#include "openers.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NOTES = 1 << 18, PATH = 4096, NEAR = 24 /* frames: most class loaders are among them, and each costs */ };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what is noted */

/* ---- what is noted */

struct noted { /* by a hash of 128 bits */
    uint32_t hash;
    struct ch_key key;
};
static CH_TABLE(struct noted) noted;
static char directory[PATH], jdk[PATH];

static bool is_noted(const void *entry, const void *key) {
    const struct ch_key *a = &((const struct noted *)entry)->key, *b = key;
    return a->low == b->low && a->high == b->high;
}

enum use { OPENS, LOOKS, LISTS /* its path then ends with a slash */ };
enum answer { NOTED_BEFORE, NOTE, NO_ROOM };
static enum answer is_new(struct ch_key key) {
    enum answer answer = NOTED_BEFORE;
    pthread_mutex_lock(&lock);
    if (!ch_table_find(&noted, (uint32_t)key.low, is_noted, &key)) {
        bool added =
            noted.table.used < MOST_NOTES && ch_table_add(&noted, (uint32_t)key.low, &(struct noted){.key = key});
        answer = added ? NOTE : NO_ROOM;
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

static void say_more_were_opened(void) {
    static bool said;
    if (!ch_exchange_relaxed(&said, true)) ch_meta_add(CH_META_OPENED, 0, 0, "", 0);
}

static void write_record(uint32_t context, const char *path, const struct ch_openers *r) {
    char text[PATH + sizeof r->numbers];
    size_t numbers = r->n * sizeof *r->numbers, bytes = strlen(path);
    memcpy(text, r->numbers, numbers);
    memcpy(text + numbers, path, bytes);
    ch_meta_add(CH_META_OPENED, context, r->n << 1 | r->direct, text, numbers + bytes);
}

static bool ends(const char *path, const char *end) {
    size_t n = strlen(path), length = strlen(end);
    return n >= length && !strcmp(path + n - length, end);
}

/* The rest is the system's or the JDK's. */
static bool is_of_no_interest(const char *path) {
    static const char *const starts[] = {"/proc/", "/sys/", "/dev/"};
    return ends(path, ".jmod") || ends(path, ".so") || CH_BEGINS_WITH_ONE(path, starts) ||
           (*jdk && ch_begins(path, jdk));
}

static bool is_code(const char *path) { return ends(path, ".class") || ends(path, ".jar"); }

/* True if nobody reads a class file or a jar as a file, according to this many frames. */
static bool is_only_loaded(JNIEnv *env, const char *path, uint32_t frames) {
    struct ch_opener_stack stack;
    ch_opener_stack(&stack, frames);
    struct ch_openers r = ch_openers(env, &stack);
    return r.loads || (r.searches && ends(path, ".jar"));
}

static bool is_on(void) { return ch_wanted.tests && ch_load_relaxed(&ch_hook_on) && !ch_self.silent; }

/* Java lists a directory by opening it. */
static bool is_directory(const char *path) {
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static void note(JNIEnv *env, const char *given, enum use use) {
    char path[PATH];
    bool relative = *given != '/';
    int n = snprintf(path, sizeof path, "%s%s%s%s", relative ? directory : "", relative ? "/" : "", given,
                     use == LISTS || (use == OPENS && is_directory(given)) ? "/" : "");
    if (n <= 0 || (size_t)n >= sizeof path || is_of_no_interest(path)) return;
    bool code = is_code(path);
    if (code && (is_only_loaded(env, path, NEAR) || is_only_loaded(env, path, CH_OPENER_DEPTH))) return;
    struct ch_opener_stack stack;
    ch_opener_stack(&stack, CH_OPENER_DEPTH);
    uint32_t context = ch_scope_slot_now();
    struct ch_key of_path = ch_hash((struct ch_key){context, use}, path, (size_t)n);
    if (is_new(ch_hash(of_path, stack.methods, stack.n * sizeof *stack.methods)) == NOTED_BEFORE) return;
    struct ch_openers r = ch_openers(env, &stack);
    if ((use != OPENS || code) && !context && !r.n) return; /* scanners do */
    of_path.high ^= r.direct;
    enum answer answer = is_new(ch_hash(of_path, r.numbers, r.n * sizeof *r.numbers));
    if (answer == NOTE)
        write_record(context, path, &r);
    else if (answer == NO_ROOM)
        say_more_were_opened();
}

/* ---- where the path is among a native's parameters */

static void by_string(JNIEnv *env, jlong string, jlong more, enum use use) {
    jstring text = (jstring)(intptr_t)string;
    const char *path = text ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
    (void)more;
    if (!path) return;
    note(env, path, use);
    (*env)->ReleaseStringUTFChars(env, text, path);
}

static void by_file(JNIEnv *env, jlong file, jlong more, enum use use) {
    static jfieldID field;
    jobject object = (jobject)(intptr_t)file;
    if (object && !ch_load_acquire(&field)) ch_store_release(&field, ch_jdk_field(env, CH_JDK_FILE_PATH, NULL));
    jobject path = object && field ? (*env)->GetObjectField(env, object, field) : NULL;
    by_string(env, (jlong)(intptr_t)path, more, use);
    if (path) (*env)->DeleteLocalRef(env, path);
}

static void by_address(JNIEnv *env, jlong address, jlong more, enum use use) {
    (void)more;
    if (address) note(env, (const char *)(intptr_t)address, use);
}

/* Not what is only written. */
static void by_flags(JNIEnv *env, jlong address, jlong flags, enum use use) {
    if (((int)flags & O_ACCMODE) != O_WRONLY) by_address(env, address, flags, use);
}

/* ---- the natives. Their parameters and results are numbers and references, which the calling convention passes alike
 * as 64 bits. */

#define NATIVES(NATIVE) \
    NATIVE(java_io_FileInputStream_open0, by_string, OPENS) \
    NATIVE(java_io_RandomAccessFile_open0, by_string, OPENS) \
    NATIVE(java_io_UnixFileSystem_getBooleanAttributes0, by_file, LOOKS) \
    NATIVE(java_io_UnixFileSystem_list, by_file, LISTS) \
    NATIVE(java_io_UnixFileSystem_list0, by_file, LISTS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_open0, by_flags, OPENS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_opendir0, by_address, LISTS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_stat0, by_address, LOOKS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_stat1, by_address, LOOKS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_lstat0, by_address, LOOKS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_access0, by_address, LOOKS) \
    NATIVE(sun_nio_fs_UnixNativeDispatcher_exists0, by_address, LOOKS)

typedef jlong(JNICALL *function)(JNIEnv *env, jobject self, jlong a, jlong b, jlong c);
#define JDKS(name, by, use) static function jdks_##name; /* NULL: not bound yet */
#define OURS(name, by, use) \
    static jlong JNICALL ours_##name(JNIEnv *env, jobject self, jlong a, jlong b, jlong c) { \
        if (is_on()) by(env, a, b, use); \
        return jdks_##name(env, self, a, b, c); \
    }
NATIVES(JDKS)
NATIVES(OURS)

static const struct {
    const char *symbol;
    function *jdks, ours;
} natives[] = {
#define ROW(name, by, use) {"Java_" #name, &jdks_##name, ours_##name},
    NATIVES(ROW)};

void JNICALL ch_native_bound(jvmtiEnv *e, JNIEnv *env, jthread thread, jmethodID method, void *address,
                             void **instead) {
    Dl_info found;
    (void)e, (void)env, (void)thread;
    if (!dladdr(address, &found) || !found.dli_sname || found.dli_saddr != address) return;
    ch_child_process_bound(found.dli_sname, method, address, instead);
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        if (strcmp(natives[i].symbol, found.dli_sname)) continue;
        *(void **)natives[i].jdks = address;
        *(function *)instead = natives[i].ours;
    }
}

/* Before the JVM binds its natives. */
static void early(struct ch_error *error) {
    static const jvmtiCapabilities bindings = {.can_generate_native_method_bind_events = 1};
    (void)error;
    if (!ch_wanted.tests) return;
    ch_started_by_test();
    ch_jvm_property("java.home", jdk, sizeof jdk - 1);
    if (!getcwd(directory, sizeof directory)) *directory = 0;
    if ((*ch_jvmti)->AddCapabilities(ch_jvmti, &bindings) ||
        (*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL))
        say_more_were_opened();
}

const struct ch_measure ch_measure_tests = {.name = "tests", .early = early};
