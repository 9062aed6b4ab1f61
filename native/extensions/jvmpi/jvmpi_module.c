/* The module `classhook_jvmpi`: what instrument/extensions/jvmpi asks of the JVM. */
#include "jvmpi.h"

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
    unsigned sync = 0, without_limit = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "|II", &sync, &without_limit)) return NULL;
    if (sync) ch_jvmpi_tell_to(sync, without_limit);
    return PyBool_FromLong(ch_jvmpi_start());
}

static PyMethodDef functions[] = {
    {"start", start, METH_VARARGS,
     "takes the numbers of the handlers of events that are delivered at once, with and without a limit; without "
     "numbers, they stay"},
    {"queue_to", ch_jvmpi_queue_to, METH_VARARGS, "type of an event, handler of those that are queued"},
    {"prepare", prepare, METH_NOARGS, "when the JVM is up"},
    {"enable", ch_jvmpi_enable, METH_VARARGS, "type of an event, on, argument; None: the JVM has no such event"},
    {"unpack", ch_jvmpi_unpack, METH_O, "the numbers of an event"},
    {"own_thread", ch_own_thread, METH_NOARGS, "the id of this thread"},
    {"thread_facts", ch_thread_facts, METH_O, "name, group and the group's parent of a thread"},
    {"threads", ch_threads, METH_NOARGS, "the ids of all threads"},
    {"those_there", ch_those_there, METH_O, "the ids of a list whose objects exist"},
    {"thread_status", ch_thread_status, METH_O, "the status of a thread, 0: it does not exist"},
    {"trace", ch_trace, METH_VARARGS, "lines and methods of a thread's stack"},
    {"suspend", ch_suspend, METH_O, "a list of threads: whether each one was"},
    {"resume", ch_resume, METH_O, "a list of threads: whether each one was"},
    {"has_run", ch_has_run, METH_O, "whether a thread has used CPU time since it was suspended last"},
    {"raw_create", ch_raw_create, METH_NOARGS, "a raw monitor"},
    {"raw_act", ch_raw_act, METH_VARARGS, "monitor, what to do"},
    {"raw_wait", ch_raw_wait, METH_O, "leaves a monitor to wait"},
    {"raw_wait_on", ch_raw_wait_on, METH_VARARGS, "waits: monitor, what raw_wait returned, ms"},
    {"raw_state", ch_raw_state, METH_O, "owner of a monitor, how often it has entered"},
    {"monitor_dump", ch_monitor_dump, METH_NOARGS, "threads with their stacks, and monitors"},
    {"count_objects", ch_heap_count, METH_NOARGS, "all objects of the heap"},
    {"hold_known", ch_hold_known, METH_O, "puts what has an id where the JVM's dump has it, behind this number"},
    {"drop_known", ch_drop_known, METH_NOARGS, "takes it away"},
    {"handle_of", ch_handle_of, METH_O, "a handle of the object with an id"},
    {"id_of", ch_id_of, METH_O, "the id of the object of a handle"},
    {"object_facts", ch_object_facts, METH_O, "class and size of an object"},
    {"object_dump", ch_object_dump, METH_O, "what is in an object"},
    {"array_type", ch_array_type, METH_O, "of a class, the type of its objects, and the class of an array's elements"},
    {"system_thread", ch_system_thread, METH_VARARGS, "name, priority, number of the function"},
    {"exit", ch_exit, METH_VARARGS, "ends the JVM: status, whether it ends already"},
    {"collect", ch_collect, METH_NOARGS, "a garbage collection"},
    {"code", ch_code, METH_O,
     "of a COMPILED_METHOD_LOAD, once: method, address, and what the following two are asked of"},
    {"code_lines", ch_code_lines, METH_O, "offsets and lines"},
    {"code_inlined", ch_code_inlined, METH_O, "offsets, and the frames of the methods that are inlined there"},
    {"classes", ch_classes, METH_NOARGS, "the ids of all classes that are linked, and of arrays"},
    {"interfaces", ch_interfaces, METH_O, "the ids of a class's interfaces"},
    {"class_file", ch_class_file, METH_O, "of a class, as the JVM has it"},
    {"change_class", ch_change_class, METH_VARARGS, "class, class file: whether the JVM has taken it"},
    {"link", ch_class_link, METH_O, "links a class, so that its members are there"},
    {"class_parts", ch_class_parts, METH_VARARGS, "what is known of a class"},
    {"class_of_method", ch_class_of_method, METH_O, "the id of a method's class"},
    {"method_name", ch_method_name, METH_O, "class, name and signature of a method"},
    {"native_wanted", ch_native_wanted, METH_VARARGS, "the place of a native method, and the events that name it"},
    {"natives_changed", ch_natives_changed, METH_NOARGS, "other events name other native methods from now on"},
    {"sees_receivers", ch_sees_receivers, METH_NOARGS, "whether constructors' objects are known"},
    {"method_called", ch_method_called, METH_VARARGS, "thread, method and object of a call"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "classhook_jvmpi", .m_size = -1,
                                        .m_methods = functions};

static void make_module(void) {
    PyObject *m = PyModule_Create(&definition);
    if (!m || PyDict_SetItemString(PyImport_GetModuleDict(), "classhook_jvmpi", m)) PyErr_Clear();
    Py_XDECREF(m);
}

const struct ch_extension ch_jvmpi_extension = {.make_module = make_module,
                                                .freed = ch_jvmpi_freed,
                                                .before_handlers = ch_handler_thread_enters,
                                                .after_handlers = ch_handler_thread_left,
                                                .thread_ends = ch_handler_thread_ends};
