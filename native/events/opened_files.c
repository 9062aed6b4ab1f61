/* Files that the program opens to read, looks at, or lists, each with its context and the methods of the program on the stack: tests depend on them.
 *
 * 1. The JDK's ways to a file end in a few native methods. When the JVM binds one (NativeMethodBind), it is given a function of ours instead, which
 *    notes the path and calls the JDK's. No class is changed, and it works from the JVM's start on. After attaching they are bound, so nothing is noted.
 * 2. A record of the metadata has the context's slot, a path, and the methods that rules may match, innermost first. The same is noted once: a stack that
 *    was seen with this path and context costs little more than taking it.
 * 3. A library may keep what it read for whoever asks next. So a record also says whether only the JDK's plain input is between the file and the
 *    innermost of these methods.
 * 4. Scanners look at all files before any test begins. What is only looked at or listed, outside of contexts and below no such method, is left out.
 */
#include "../base/jdk_members.h"
#include "../counting/attribution.h"
#include "events.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NOTES = 1 << 18, MOST_METHODS = 1 << 18, DEPTH = 320, MOST_NAMED = 16, PATH = 4096 };

/* ---- methods on the stack */

enum role { PLAIN, LIBRARY, PROGRAM };
struct method {
    uint32_t hash;
    enum role role;
    jmethodID id;
    uint32_t number; /* of the program's, in the data file */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the tables */
static CH_TABLE(struct method) methods;

static bool begins(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

/* Whether a class of the JDK reads without keeping what it read for others. */
static bool is_plain(const char *name) {
    static const char *const keeping[] = {"java/util/ResourceBundle", "java/util/logging/", "java/util/prefs/", "java/security/"},
                             *const plain[] = {"java/", "sun/nio/", "sun/net/www/", "jdk/internal/"};
    bool yes = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) yes |= begins(name, plain[i]);
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++) yes &= !begins(name, keeping[i]);
    return yes;
}

/* Its name becomes a record. */
static uint32_t number_of(const char *class_name, const char *name, const char *descriptor) {
    static uint32_t numbers;
    size_t room = strlen(class_name) + strlen(name) + strlen(descriptor) + 2;
    char *text = malloc(room);
    uint32_t number = text ? ch_add(&numbers, 1) + 1 : 0;
    if (text) ch_meta_add(CH_META_OPENER, number, 0, text, (size_t)snprintf(text, room, "%s.%s%s", class_name, name, descriptor));
    free(text);
    return number;
}

static void describe(JNIEnv *env, struct method *m, jclass class, char *signature) {
    char *called = NULL, *descriptor = NULL, *class_name = signature + 1;
    size_t n = strlen(signature);
    jobject loader = NULL;
    bool in_jdk = false;
    if (n < 3) return;
    signature[n - 1] = 0;
    if (is_plain(class_name)) m->role = PLAIN;
    if ((*ch_jvmti)->GetClassLoader(ch_jvmti, class, &loader)) return;
    if (loader && ch_filter_match(env, loader, class_name, CH_NO_NAMES, NULL, &in_jdk) && !in_jdk &&
        !(*ch_jvmti)->GetMethodName(ch_jvmti, m->id, &called, &descriptor, NULL)) {
        m->number = number_of(class_name, called, descriptor);
        m->role = m->number ? PROGRAM : LIBRARY;
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)called);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
    }
    if (loader) (*env)->DeleteLocalRef(env, loader);
}

static bool is_method(const void *entry, const void *id) { return ((const struct method *)entry)->id == *(const jmethodID *)id; }

static bool known(jmethodID id, struct method *to) {
    pthread_mutex_lock(&lock);
    const struct method *found = ch_table_find(&methods, ch_hash_number((uint64_t)(uintptr_t)id), is_method, &id);
    if (found) *to = *found;
    pthread_mutex_unlock(&lock);
    return found;
}

/* What is unknown counts as a library's. Threads that see a method for the first time together give it several numbers. */
static struct method method_of(JNIEnv *env, jmethodID id) {
    struct method m = {.role = LIBRARY, .id = id};
    jclass class = NULL;
    char *signature = NULL;
    if (known(id, &m) || (*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, id, &class)) return m;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL)) {
        describe(env, &m, class, signature);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, class);
    pthread_mutex_lock(&lock);
    if (methods.table.used < MOST_METHODS) ch_table_add(&methods, ch_hash_number((uint64_t)(uintptr_t)id), &m);
    pthread_mutex_unlock(&lock);
    return m;
}

struct stack {
    jmethodID methods[DEPTH]; /* innermost first */
    uint32_t n;
};
struct readers {
    uint32_t numbers[MOST_NAMED]; /* of the program's methods, innermost first */
    uint32_t n;
    bool direct; /* only plain input of the JDK is below it */
};

static void take_stack(struct stack *s) {
    jvmtiFrameInfo frames[DEPTH];
    jint n = 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, 0, DEPTH, frames, &n)) n = 0;
    for (s->n = 0; s->n < (uint32_t)n; s->n++) s->methods[s->n] = frames[s->n].method;
}

static struct readers readers(JNIEnv *env, const struct stack *s) {
    struct readers r = {.direct = true};
    for (uint32_t i = 0; i < s->n && r.n < MOST_NAMED; i++) {
        struct method m = method_of(env, s->methods[i]);
        if (m.role == LIBRARY && !r.n) r.direct = false;
        if (m.role == PROGRAM) r.numbers[r.n++] = m.number;
    }
    r.direct &= r.n > 0;
    return r;
}

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
        bool added = noted.table.used < MOST_NOTES && ch_table_add(&noted, (uint32_t)key.low, &(struct noted){.key = key});
        answer = added ? NOTE : NO_ROOM;
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

static void say_more_were_opened(void) {
    static bool said;
    if (!ch_exchange_relaxed(&said, true)) ch_meta_add(CH_META_OPENED, 0, 0, "", 0);
}

static void write_record(uint32_t context, const char *path, const struct readers *r) {
    char text[PATH + sizeof r->numbers];
    size_t numbers = r->n * sizeof *r->numbers, bytes = strlen(path);
    memcpy(text, r->numbers, numbers);
    memcpy(text + numbers, path, bytes);
    ch_meta_add(CH_META_OPENED, context, r->n << 1 | r->direct, text, numbers + bytes);
}

/* Archives and classes are known by other means; the rest is the system's or the JDK's. */
static bool is_of_no_interest(const char *path) {
    static const char *const ends[] = {".class", ".jar", ".jmod", ".so"}, *const starts[] = {"/proc/", "/sys/", "/dev/"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n >= strlen(ends[i]) && !strcmp(path + n - strlen(ends[i]), ends[i])) return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins(path, starts[i])) return true;
    return *jdk && begins(path, jdk);
}

static bool is_on(void) { return ch_has_tests && ch_load_relaxed(&ch_hook_on) && !ch_self.silent; }

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
    struct stack stack;
    take_stack(&stack);
    uint32_t context = ch_scope_slot_now();
    struct ch_key of_path = ch_hash((struct ch_key){context, use}, path, (size_t)n);
    if (is_new(ch_hash(of_path, stack.methods, stack.n * sizeof *stack.methods)) == NOTED_BEFORE) return;
    struct readers r = readers(env, &stack);
    if (use != OPENS && !context && !r.n) return;
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

/* ---- the natives. Their parameters and results are numbers and references, which the calling convention passes alike as 64 bits. */

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

void JNICALL ch_native_bound(jvmtiEnv *e, JNIEnv *env, jthread thread, jmethodID method, void *address, void **instead) {
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

void ch_opened_files_early(void) {
    static const jvmtiCapabilities bindings = {.can_generate_native_method_bind_events = 1};
    if (!ch_has_tests) return;
    ch_jvm_property("java.home", jdk, sizeof jdk - 1);
    if (!getcwd(directory, sizeof directory)) *directory = 0;
    if ((*ch_jvmti)->AddCapabilities(ch_jvmti, &bindings) ||
        (*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL))
        say_more_were_opened();
}
