/* Finds out whether a class that is about to be defined, or exists, could call a static method: found as the JVM would
 * find it, by the class's loader.
 *
 * The loader is asked on the thread that defines one of its classes, when the JVM asks it for the supertypes, too
 * (classes/class_loaders.c). The class that is found is linked, and not initialised.
 */
#include "embedded.h"
#include <string.h>

enum { PUBLIC = 1, STATIC = 8, ABSTRACT = 0x400 };

struct lookup {
    JNIEnv *env;
    jobject loader;
    const char *owner, *name, *descriptor; /* the owner's name has dots */
    const char *why; /* NULL: it is there */
};

/* Returns why a method cannot be called; NULL: it can. It must be public and static, or a public constructor of what is
 * to be thrown. */
static const char *method_in(jclass c, const struct lookup *l) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    const bool thrown = !strcmp(l->name, "<init>");
    const jint wanted = thrown ? PUBLIC : PUBLIC | STATIC;
    jmethodID *methods = NULL;
    const char *why = "has no such method";
    jint n = 0, flags = 0;
    if ((*jvmti)->GetClassModifiers(jvmti, c, &flags) || !(flags & PUBLIC)) return "is not public";
    if (thrown) {
        jclass throwable = (*l->env)->FindClass(l->env, "java/lang/Throwable");
        if (!throwable || !(*l->env)->IsAssignableFrom(l->env, c, throwable)) return "is no exception";
        if (flags & ABSTRACT) return "is abstract";
    }
    if ((*jvmti)->GetClassMethods(jvmti, c, &n, &methods)) return "cannot be linked";
    for (jint i = 0; i < n; i++) {
        char *name = NULL, *descriptor = NULL;
        if ((*jvmti)->GetMethodName(jvmti, methods[i], &name, &descriptor, NULL)) continue;
        if (!strcmp(name, l->name) && !strcmp(descriptor, l->descriptor) &&
            !(*jvmti)->GetMethodModifiers(jvmti, methods[i], &flags))
            why = (flags & wanted) == wanted ? NULL
                  : thrown                   ? "has the constructor, which is not public"
                                             : "has the method, which is not public and static";
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return why;
}

static jclass found_class(JNIEnv *env, const struct lookup *l) {
    jclass of = (*env)->FindClass(env, "java/lang/Class");
    jmethodID get = of ? (*env)->GetStaticMethodID(env, of, "forName",
                                                   "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;")
                       : NULL;
    jmethodID link = of ? (*env)->GetMethodID(env, of, "getDeclaredMethods", "()[Ljava/lang/reflect/Method;") : NULL;
    jstring name = get ? (*env)->NewStringUTF(env, l->owner) : NULL;
    jclass c = name ? (*env)->CallStaticObjectMethod(env, of, get, name, JNI_FALSE, l->loader) : NULL;
    jint status = 0;
    if ((*env)->ExceptionCheck(env)) return NULL;
    if (c && link && !(*ch_hub->jvmti)->GetClassStatus(ch_hub->jvmti, c, &status) &&
        !(status & JVMTI_CLASS_STATUS_PREPARED))
        (*env)->CallObjectMethod(env, c, link);
    return c;
}

static void look(void *argument) {
    struct lookup *l = argument;
    JNIEnv *env = l->env;
    if (!ch_local_frame(env, 16)) return;
    jclass c = found_class(env, l);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    l->why = c ? method_in(c, l) : "is not found by its class loader";
    (*env)->PopLocalFrame(env, NULL);
}

/* finds(event, owner, name, descriptor): None, or why not. */
PyObject *ch_finds(PyObject *self, PyObject *args) {
    struct lookup l = {.why = "cannot be looked for"};
    PyObject *event;
    (void)self;
    if (!PyArg_ParseTuple(args, "Osss", &event, &l.owner, &l.name, &l.descriptor)) return NULL;
    if (Py_TYPE(event) != &ch_event_type || !ch_event_is_here((Event *)event))
        return PyErr_Format(PyExc_RuntimeError, "the event is over");
    struct ch_call *c = ((Event *)event)->call;
    l.env = c->env;
    l.loader = c->subject;
    ch_without_gil(look, &l);
    if (!l.why) Py_RETURN_NONE;
    return PyUnicode_FromString(l.why);
}

/* boot_path(jar): its classes are found by all loaders that delegate. */
PyObject *ch_boot_path(PyObject *self, PyObject *path) {
    const char *text = PyUnicode_AsUTF8(path);
    (void)self;
    if (!text) return NULL;
    return PyBool_FromLong(!(*ch_hub->jvmti)->AddToBootstrapClassLoaderSearch(ch_hub->jvmti, text));
}
