/* Dumps an object: each field's and each element's value, as a record of JVMPI's dumps. Objects that it refers to get
 * ids. */
#include "jvmpi.h"

enum { STATIC = 8, CLASS_TYPE = 2, CLASS_DUMP = 0x20, INSTANCE_DUMP, OBJECT_ARRAY_DUMP, PRIMITIVE_ARRAY_DUMP };

/* JVMPI's number of a descriptor's type. */
static int type_of(char letter) {
    switch (letter) {
    case 'Z': return 4;
    case 'C': return 5;
    case 'F': return 6;
    case 'D': return 7;
    case 'B': return 8;
    case 'S': return 9;
    case 'I': return 10;
    case 'J': return 11;
    default: return CLASS_TYPE;
    }
}

static PyObject *id_and_free(JNIEnv *env, jobject object) {
    uint64_t id = ch_id(env, object);
    if (object) (*env)->DeleteLocalRef(env, object);
    return PyLong_FromUnsignedLongLong(id);
}

/* A field's value; `c` is NULL for a field of an instance. */
static PyObject *value(JNIEnv *env, jobject o, jclass c, jfieldID f, int type) {
#define GET(kind) (c ? (*env)->GetStatic##kind##Field(env, c, f) : (*env)->Get##kind##Field(env, o, f))
    switch (type) {
    case 4: return PyLong_FromLong(GET(Boolean));
    case 5: return PyLong_FromLong(GET(Char));
    case 6: return PyFloat_FromDouble((double)GET(Float));
    case 7: return PyFloat_FromDouble(GET(Double));
    case 8: return PyLong_FromLong(GET(Byte));
    case 9: return PyLong_FromLong(GET(Short));
    case 10: return PyLong_FromLong(GET(Int));
    case 11: return PyLong_FromLongLong(GET(Long));
    default: return id_and_free(env, GET(Object));
    }
}

/* Adds (name, type, value) of the class's own fields. */
static void add_fields(JNIEnv *env, PyObject *all, jobject o, jclass c, bool of_class) {
    jint n = 0, modifiers;
    jfieldID *fields = NULL;
    if ((*ch_jvmpi)->GetClassFields(ch_jvmpi, c, &n, &fields)) n = 0;
    for (jint i = 0; i < n; i++) {
        char *name = NULL, *signature = NULL;
        if ((*ch_jvmpi)->GetFieldModifiers(ch_jvmpi, c, fields[i], &modifiers) || !(modifiers & STATIC) == of_class)
            continue;
        if ((*ch_jvmpi)->GetFieldName(ch_jvmpi, c, fields[i], &name, &signature, NULL)) continue;
        int type = type_of(*signature);
        ch_free(signature);
        PyObject *one =
            Py_BuildValue("(NiN)", ch_text(name), type, value(env, o, of_class ? c : NULL, fields[i], type));
        if (one) PyList_Append(all, one);
        Py_XDECREF(one);
    }
    ch_free(fields);
}

static jobject field_of(JNIEnv *env, jobject o, const char *name, const char *signature) {
    jobject value;
    return ch_field_of(env, o, name, signature, &value) ? value : NULL;
}

/* Bytes of the class's own fields, as dumps have them: references have 8. */
static long size_of_fields(jclass c) {
    static const char sizes[] = {[4] = 1, [5] = 2,  [6] = 4,  [7] = 8,         [8] = 1,
                                 [9] = 2, [10] = 4, [11] = 8, [CLASS_TYPE] = 8};
    jint n = 0, modifiers;
    jfieldID *fields = NULL;
    long size = 0;
    if ((*ch_jvmpi)->GetClassFields(ch_jvmpi, c, &n, &fields)) n = 0;
    for (jint i = 0; i < n; i++) {
        char *signature = NULL;
        if ((*ch_jvmpi)->GetFieldModifiers(ch_jvmpi, c, fields[i], &modifiers) || modifiers & STATIC) continue;
        if ((*ch_jvmpi)->GetFieldName(ch_jvmpi, c, fields[i], NULL, &signature, NULL)) continue;
        size += sizes[type_of(*signature)];
        ch_free(signature);
    }
    ch_free(fields);
    return size;
}

static long instance_size(JNIEnv *env, jclass c) {
    long size = 0;
    jclass at = (*env)->NewLocalRef(env, c);
    while (at) {
        size += size_of_fields(at);
        jclass above = (*env)->GetSuperclass(env, at);
        (*env)->DeleteLocalRef(env, at);
        at = above;
    }
    return size;
}

/* (CLASS_DUMP, id, superclass, loader, signers, domain, name, instance size, static fields) */
static PyObject *class_dump(JNIEnv *env, jclass c, unsigned long long id) {
    jobject loader = NULL;
    jint status = 0;
    PyObject *statics = PyList_New(0);
    (*ch_jvmpi)->GetClassStatus(ch_jvmpi, c, &status);
    if (status & JVMTI_CLASS_STATUS_PREPARED) add_fields(env, statics, NULL, c, true);
    if ((*ch_jvmpi)->GetClassLoader(ch_jvmpi, c, &loader)) loader = NULL;
    return Py_BuildValue(
        "(iKNNNNNlN)", CLASS_DUMP, id, id_and_free(env, (*env)->GetSuperclass(env, c)), id_and_free(env, loader),
        id_and_free(env, ch_class_signers(env, c)), id_and_free(env, ch_class_domain(env, c)),
        id_and_free(env, field_of(env, c, "name", "Ljava/lang/String;")), instance_size(env, c), statics);
}

/* (INSTANCE_DUMP, id, class, fields: those of the class, then of its superclasses) */
static PyObject *instance_dump(JNIEnv *env, jobject o, jclass c, unsigned long long id) {
    PyObject *fields = PyList_New(0);
    jclass at = (*env)->NewLocalRef(env, c);
    while (at) {
        add_fields(env, fields, o, at, false);
        jclass above = (*env)->GetSuperclass(env, at);
        (*env)->DeleteLocalRef(env, at);
        at = above;
    }
    return Py_BuildValue("(iKKN)", INSTANCE_DUMP, id, (unsigned long long)ch_id(env, c), fields);
}

/* (OBJECT_ARRAY_DUMP, id, class of the elements, ids) */
static PyObject *array_dump(JNIEnv *env, jobject o, jclass c, unsigned long long id) {
    jsize n = (*env)->GetArrayLength(env, o);
    PyObject *ids = PyList_New(n);
    for (jsize i = 0; ids && i < n; i++)
        PyList_SET_ITEM(ids, i, id_and_free(env, (*env)->GetObjectArrayElement(env, o, i)));
    return Py_BuildValue("(iKNN)", OBJECT_ARRAY_DUMP, id,
                         id_and_free(env, field_of(env, c, "componentType", "Ljava/lang/Class;")), ids);
}

/* (PRIMITIVE_ARRAY_DUMP, id, type, the elements' bytes) */
static PyObject *primitives_dump(JNIEnv *env, jobject o, int type, unsigned long long id) {
    static const int sizes[] = {1, 2, 4, 8, 1, 2, 4, 8};
    jsize n = (*env)->GetArrayLength(env, o);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * sizes[type - 4]);
    void *to = bytes ? PyBytes_AS_STRING(bytes) : NULL;
    if (!to) return NULL;
    switch (type) {
    case 4: (*env)->GetBooleanArrayRegion(env, o, 0, n, to); break;
    case 5: (*env)->GetCharArrayRegion(env, o, 0, n, to); break;
    case 6: (*env)->GetFloatArrayRegion(env, o, 0, n, to); break;
    case 7: (*env)->GetDoubleArrayRegion(env, o, 0, n, to); break;
    case 8: (*env)->GetByteArrayRegion(env, o, 0, n, to); break;
    case 9: (*env)->GetShortArrayRegion(env, o, 0, n, to); break;
    case 10: (*env)->GetIntArrayRegion(env, o, 0, n, to); break;
    default: (*env)->GetLongArrayRegion(env, o, 0, n, to); break;
    }
    return Py_BuildValue("(iKiN)", PRIMITIVE_ARRAY_DUMP, id, type, bytes);
}

/* array_type(class): JVMPI's number for an array's elements, 0 of another class; and the class of an array's elements
 * that are objects, else the class. */
PyObject *ch_array_type(PyObject *self, PyObject *number) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    char *signature = NULL;
    int type = 0;
    (void)self;
    jclass c = env && ch_id_is_class(id) ? ch_id_object(env, id) : NULL;
    if (c && !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &signature, NULL) && *signature == '[')
        type = type_of(signature[1]);
    ch_free(signature);
    if (type == CLASS_TYPE) {
        jobject of = field_of(env, c, "componentType", "Ljava/lang/Class;");
        if (of) id = ch_id(env, of);
        if (of) (*env)->DeleteLocalRef(env, of);
    }
    if (c) (*env)->DeleteLocalRef(env, c);
    return Py_BuildValue("(iK)", type, (unsigned long long)id);
}

/* object_dump(id): the record, by its type; None: the object is gone, or never was. */
PyObject *ch_object_dump(PyObject *self, PyObject *number) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    char *signature = NULL;
    (void)self;
    jobject o = env ? ch_id_object(env, id) : NULL;
    if (!o) Py_RETURN_NONE;
    jclass c = (*env)->GetObjectClass(env, o);
    if ((*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &signature, NULL)) Py_RETURN_NONE;
    int type = type_of(signature[1]);
    PyObject *made = ch_id_is_class(id)   ? class_dump(env, o, id)
                     : *signature != '['  ? instance_dump(env, o, c, id)
                     : type == CLASS_TYPE ? array_dump(env, o, c, id)
                                          : primitives_dump(env, o, type, id);
    ch_free(signature);
    (*env)->DeleteLocalRef(env, c);
    (*env)->DeleteLocalRef(env, o);
    return made;
}

/* handle_of(id): a handle that lasts, None: the object is gone, or never was. */
PyObject *ch_handle_of(PyObject *self, PyObject *number) {
    JNIEnv *env = ch_env();
    (void)self;
    if (!env) return NULL;
    jobject o = ch_id_object(env, ch_id_given(number));
    PyObject *made = o ? ch_to_python(NULL, o, 'O') : Py_NewRef(Py_None);
    if (o) (*env)->DeleteLocalRef(env, o);
    return made;
}

/* id_of(handle) */
PyObject *ch_id_of(PyObject *self, PyObject *handle) {
    jobject o = ch_handle_reference(handle);
    (void)self;
    return o ? PyLong_FromUnsignedLongLong(ch_id(ch_here(), o)) : NULL;
}

/* object_facts(id): (class, size); None as above. */
PyObject *ch_object_facts(PyObject *self, PyObject *number) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    jlong size = 0;
    (void)self;
    jobject o = env ? ch_id_object(env, id) : NULL;
    if (!o || (*ch_jvmpi)->GetObjectSize(ch_jvmpi, o, &size)) Py_RETURN_NONE;
    PyObject *its = id_and_free(env, (*env)->GetObjectClass(env, o));
    (*env)->DeleteLocalRef(env, o);
    return Py_BuildValue("(NL)", its, (long long)size);
}
