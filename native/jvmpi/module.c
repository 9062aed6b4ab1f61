/* The module `classhook_jvmpi`: what instrument/jvmpi asks of the JVM. */
#include "jvmpi.h"

JNIEnv *ch_here(void) {
    JNIEnv *env = NULL;
    return ch_hub && !(*ch_hub->vm)->GetEnv(ch_hub->vm, (void **)&env, JNI_VERSION_1_8) ? env : NULL;
}

bool ch_is_foreign(void) {
    jvmtiPhase phase;
    if (!ch_hub || ch_here()) return false;
    return (*ch_hub->jvmti)->GetPhase(ch_hub->jvmti, &phase) || phase == JVMTI_PHASE_START || phase == JVMTI_PHASE_LIVE || phase == JVMTI_PHASE_DEAD;
}

void ch_free(void *memory) {
    if (memory) (*ch_jvmpi)->Deallocate(ch_jvmpi, memory);
}

/* By Class.forName, found through the class of a class: FindClass would ask a loader of the program. */
jclass ch_boot(JNIEnv *env, const char *name) {
    jthread thread = NULL;
    jclass found = NULL;
    if ((*ch_jvmpi)->GetCurrentThread(ch_jvmpi, &thread) || (*env)->PushLocalFrame(env, 8)) return NULL;
    jclass of = (*env)->GetObjectClass(env, (*env)->GetObjectClass(env, thread));
    jmethodID get = (*env)->GetStaticMethodID(env, of, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring text = get ? (*env)->NewStringUTF(env, name) : NULL;
    if (text) found = (*env)->CallStaticObjectMethod(env, of, get, text, JNI_TRUE, NULL);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        found = NULL;
    }
    found = (*env)->PopLocalFrame(env, found);
    (*env)->DeleteLocalRef(env, thread);
    return found;
}

struct prepared {
    JNIEnv *env;
    bool well;
};

static void work(void *argument) {
    struct prepared *p = argument;
    p->well = ch_id_prepare(p->env) && ch_ending_prepare(p->env) && ch_hub->watch_freed(p->env);
}

/* When the JVM is up, before the first event. */
static PyObject *prepare(PyObject *self, PyObject *unused) {
    struct prepared p = {ch_here(), false};
    (void)self, (void)unused;
    if (p.env) ch_without_gil(work, &p);
    return PyBool_FromLong(p.well);
}

static PyObject *start(PyObject *self, PyObject *args) {
    unsigned numbers[3];
    (void)self;
    if (!PyArg_ParseTuple(args, "III", &numbers[0], &numbers[1], &numbers[2])) return NULL;
    return PyBool_FromLong(ch_jvmpi_start(numbers));
}

static PyMethodDef functions[] = {
    {"start", start, METH_VARARGS, "takes the numbers of the handlers: sync, queued, sync without a limit"},
    {"prepare", prepare, METH_NOARGS, "when the JVM is up"},
    {"enable", ch_jvmpi_enable, METH_VARARGS, "type of an event, on, argument; None: the JVM has no such event"},
    {"unpack", ch_jvmpi_unpack, METH_O, "the numbers of an event"},
    {"own_thread", ch_own_thread, METH_NOARGS, "the id of this thread"},
    {"thread_facts", ch_thread_facts, METH_O, "name, group and the group's parent of a thread"},
    {"threads", ch_threads, METH_NOARGS, "the ids of all threads"},
    {"thread_status", ch_thread_status, METH_O, "its status, 0: it is not there"},
    {"trace", ch_trace, METH_VARARGS, "lines and methods of a thread's stack"},
    {"suspend", ch_suspend, METH_O, "a thread"},
    {"resume", ch_resume, METH_O, "a thread"},
    {"has_run", ch_has_run, METH_O, "whether a thread has used CPU time since it was suspended last"},
    {"raw_create", ch_raw_create, METH_O, "a monitor, by its name"},
    {"raw_act", ch_raw_act, METH_VARARGS, "number of a monitor, what to do, ms"},
    {"monitor_dump", ch_monitor_dump, METH_NOARGS, "threads with their stacks, and monitors"},
    {"count_objects", ch_heap_count, METH_NOARGS, "all objects of the heap"},
    {"thread_numbers", ch_thread_numbers, METH_NOARGS, "Java's numbers of threads, and ours"},
    {"class_names", ch_class_names, METH_NOARGS, "all classes"},
    {"object_facts", ch_object_facts, METH_O, "class and size of an object"},
    {"object_dump", ch_object_dump, METH_O, "what is in an object"},
    {"array_type", ch_array_type, METH_O, "of what the arrays of a class are"},
    {"system_thread", ch_system_thread, METH_VARARGS, "name, priority, number of the function"},
    {"exit", ch_exit, METH_O, "ends the JVM"},
    {"collect", ch_collect, METH_NOARGS, "a garbage collection"},
    {"code_lines", ch_jvmpi_lines, METH_O, "the lines of compiled code, once"},
    {"class_parts", ch_class_parts, METH_VARARGS, "what is known of a class"},
    {"class_of_method", ch_class_of_method, METH_O, "the id of a method's class"},
    {"method_called", ch_method_called, METH_O, "thread, method and object of a call"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "classhook_jvmpi", .m_size = -1, .m_methods = functions};

void ch_jvmpi_make_module(void) {
    PyObject *m = PyModule_Create(&definition);
    if (!m || PyDict_SetItemString(PyImport_GetModuleDict(), "classhook_jvmpi", m)) PyErr_Clear();
    Py_XDECREF(m);
}
