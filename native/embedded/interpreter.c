/* Starts the interpreter for the embedding library; cffi appends its generated code to this file, see embed.py.
 *
 * The interpreter is configured here rather than by cffi: isolated, without site, without signal handlers, with
 * explicit search paths. It is never finalized.
 */
#include <Python.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/python_stacks.h"
#include "../events/bridge.h"
#include "../weaver/embed.h"

static int ch_py_load(const char *, size_t, uint64_t);
static int ch_py_weave(const char *, const unsigned char *, uint32_t, const struct ch_about *, struct ch_woven *);
static char *ch_py_compile(const char *, const char *, size_t, char **);
static char *ch_py_without(const char *, const char *, size_t, char **);
static char *ch_py_scripts(const char *, const char *, size_t, char **);
extern const struct ch_bridge ch_events_bridge; /* events_module.c */
extern const struct ch_extension *ch_extension; /* connections.c */
static char *ch_py_ask(const char *, const char *, size_t, char **);
#if __has_include("../extensions/jvmpi/jvmpi.h") /* its folder may be missing */
#define HAS_JVMPI
extern const struct ch_extension ch_jvmpi_extension; /* ../extensions/jvmpi/jvmpi_module.c */
#endif

/* ---- the stack */

#if PY_VERSION_HEX >= 0x030E0000
/* From 3.14 on, Python notices an overflow by addresses, not by depth, and would look at the thread's own stack. These
 * functions begin at the top of the stack that they run on (python_stacks.c). */
enum { USED_BEFORE = 64 << 10 }; /* more than lies above */

static PyGILState_STATE enter_stack(void) {
    PyGILState_STATE before = PyGILState_Ensure();
    char *low = (char *)__builtin_frame_address(0) - CH_PYTHON_STACK + USED_BEFORE;
    if (PyUnstable_ThreadState_SetStackProtection(PyThreadState_Get(), low, CH_PYTHON_STACK - USED_BEFORE))
        PyErr_Clear();
    return before;
}

static void leave_stack(PyGILState_STATE before) {
    PyUnstable_ThreadState_ResetStackProtection(PyThreadState_Get());
    PyGILState_Release(before);
}
#else
static int enter_stack(void) { return 0; }
static void leave_stack(int before) { (void)before; }
#endif

#define ON_THIS_STACK(type, call) \
    __auto_type before = enter_stack(); \
    type result = call; \
    leave_stack(before); \
    return result

static int load(const char *rules, size_t bytes, uint64_t timeout_ms) {
    ON_THIS_STACK(int, ch_py_load(rules, bytes, timeout_ms));
}

static int weave(const char *name, const unsigned char *data, uint32_t bytes, const struct ch_about *about,
                 struct ch_woven *out) {
    ON_THIS_STACK(int, ch_py_weave(name, data, bytes, about, out));
}

static char *compile(const char *path, const char *text, size_t bytes, char **why) {
    ON_THIS_STACK(char *, ch_py_compile(path, text, bytes, why));
}

static char *without(const char *rule, const char *rules, size_t bytes, char **why) {
    ON_THIS_STACK(char *, ch_py_without(rule, rules, bytes, why));
}

static char *scripts(const struct ch_hub *hub, const char *request, const char *rules, size_t bytes, char **why) {
    ch_events_bridge.hub(hub);
    ON_THIS_STACK(char *, ch_py_scripts(request, rules, bytes, why));
}

static char *ask(const char *about, const char *text, size_t bytes, char **why) {
    ON_THIS_STACK(char *, ch_py_ask(about, text, bytes, why));
}

/* ---- the start */

static PyStatus append_paths(PyConfig *config, const char *paths) {
    PyStatus status = PyStatus_Ok();
    char *copy = strdup(paths), *save = NULL;
    if (!copy) return PyStatus_NoMemory();
    for (char *p = strtok_r(copy, ":", &save); p && !PyStatus_Exception(status); p = strtok_r(NULL, ":", &save)) {
        wchar_t *wide = Py_DecodeLocale(p, NULL);
        if (!wide) continue;
        status = PyWideStringList_Append(&config->module_search_paths, wide);
        PyMem_RawFree(wide);
    }
    free(copy);
    return status;
}

/* The folder that holds the package: classhook/native/ has this library. */
static void packages_of(char *path, size_t room) {
    Dl_info self;
    path[0] = 0;
    if (!dladdr((void *)(uintptr_t)packages_of, &self) || !self.dli_fname) return;
    snprintf(path, room, "%s", self.dli_fname);
    for (int i = 0; i < 3; i++) {
        char *slash = strrchr(path, '/');
        if (slash) *slash = 0;
    }
}

/* The folders of Python, from the place of its library: as on this machine, if this library was built on another. */
static struct {
    char home[4096], stdlib[3 * 4096];
} installation = {CH_PYTHON_HOME, CH_PYTHON_STDLIB};

static void find_installation(void) {
    enum { MOST_UP = 3 }; /* PREFIX/lib/libpython or PREFIX/lib/x86_64-linux-gnu/libpython */
    static const char *const folders[] = {"lib", "lib64"};
    Dl_info library;
    char base[4000], landmark[4096];
    if (!dladdr((void *)(uintptr_t)Py_InitializeFromConfig, &library) || !library.dli_fname) return;
    snprintf(base, sizeof base, "%s", library.dli_fname);
    for (int up = 0; up < MOST_UP; up++) {
        char *slash = strrchr(base, '/');
        if (!slash) return;
        *slash = 0;
        for (int i = 0; i < 2; i++) {
            int n = snprintf(landmark, sizeof landmark, "%s/%s/python%d.%d", base, folders[i], PY_MAJOR_VERSION,
                             PY_MINOR_VERSION);
            snprintf(landmark + n, sizeof landmark - (size_t)n, "/lib-dynload");
            if (access(landmark, R_OK)) continue;
            landmark[n] = 0;
            snprintf(installation.home, sizeof installation.home, "%s", *base ? base : "/");
            snprintf(installation.stdlib, sizeof installation.stdlib, "%s/lib/python%d.%d:%s:%s/lib-dynload", base,
                     PY_MAJOR_VERSION, PY_MINOR_VERSION, landmark, landmark);
            return;
        }
    }
}

static PyStatus configure(PyConfig *config, const char *pythonpath) {
    char own[4096];
    PyStatus status;
    config->isolated = 1;
    config->site_import = 0;
    config->install_signal_handlers = 0;
    config->faulthandler = 0;
    config->write_bytecode = 0;
    config->module_search_paths_set = 1;
    config->parse_argv = 0;
    packages_of(own, sizeof own);
    /* with home set, Python does not search for its own installation */
    status = PyConfig_SetBytesString(config, &config->home, installation.home);
    if (!PyStatus_Exception(status)) status = append_paths(config, installation.stdlib);
    if (!PyStatus_Exception(status)) status = append_paths(config, own);
    if (!PyStatus_Exception(status)) status = append_paths(config, pythonpath ? pythonpath : CH_PYTHON_PACKAGES);
    return status;
}

static bool can_read(const char *folder, const char *module, char *error, size_t room) {
    static const char *const endings[] = {"pyc", "py"};
    char path[4096];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, module, endings[i]);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) return close(file) == 0;
    }
    if (!*error) snprintf(error, room, "its standard library cannot be read: %s: %s", path, strerror(errno));
    return false;
}

/* True if Python will find the modules that it imports at startup. If not, Python itself would print some 20 lines. */
static bool finds_its_library(char *error, size_t room) {
    char folders[sizeof installation.stdlib], *save = NULL;
    memcpy(folders, installation.stdlib, sizeof folders);
    for (char *f = strtok_r(folders, ":", &save); f; f = strtok_r(NULL, ":", &save))
        if (can_read(f, "encodings/__init__", error, room) && can_read(f, "encodings/aliases", error, room) &&
            can_read(f, "encodings/utf_8", error, room))
            return true;
    return false;
}

/* Imports what cffi's code needs, so that a failure can be reported in one line. */
static bool imports(const char *module, char *error, size_t room) {
    PyObject *m = PyImport_ImportModule(module), *type, *value, *trace;
    if (m) {
        Py_DECREF(m);
        return true;
    }
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *words = text ? PyUnicode_AsUTF8(text) : NULL;
    snprintf(error, room, "%s cannot be imported: %s", module, words ? words : "unknown error");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return false;
}

__attribute__((visibility("default"))) bool ch_embed_open_python(struct ch_embed *out, const char *pythonpath,
                                                                 char *error, size_t room) {
    /* HotSpot loads agents without RTLD_GLOBAL, but C extensions look for Python's symbols globally */
    if (!dlopen(CH_LIBPYTHON, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) {
        snprintf(error, room, "%s", dlerror());
        return false;
    }
    if (Py_IsInitialized()) {
        snprintf(error, room, "there is another Python in this process");
        return false;
    }
#ifdef HAS_JVMPI
    ch_extension = &ch_jvmpi_extension;
#endif
    find_installation();
    if (!finds_its_library(error, room)) return false;
    PyPreConfig pre;
    PyConfig config;
    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&pre);
    PyConfig_InitIsolatedConfig(&config);
    if (!PyStatus_Exception(status)) status = configure(&config, pythonpath);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        snprintf(error, room, "%s: %s", status.func ? status.func : "Python",
                 status.err_msg ? status.err_msg : "unknown error");
        return false;
    }
    bool ready = imports("_cffi_backend", error, room) && imports("classhook.weaving.agent_calls", error, room);
    PyEval_SaveThread();
    if (!ready) return false;
    *out = (struct ch_embed){load, weave, compile, without, scripts, ask, &ch_events_bridge};
    return true;
}
