/* Reads class files of the JDK from its image (lib/modules), through the JDK's own libjimage, which the JVM has open:
 * nothing is loaded.
 *
 * Where there is no image (a JDK that was built and not installed) nothing is found. A class may be another one than
 * the JVM will load, if it is patched (--patch-module).
 */
#include "classes.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20 };

/* src/java.base/share/native/libjimage/jimage.hpp in the JDK's sources; the same from JDK 9 on */
typedef void *open_function(const char *path, jint *error);
typedef const char *module_function(void *image, const char *package);
typedef jlong find_function(void *image, const char *module, const char *version, const char *name, jlong *bytes);
typedef jlong get_function(void *image, jlong location, char *to, jlong bytes);

static void *image;
static module_function *package_to_module;
static find_function *find_resource;
static get_function *get_resource;

void ch_jdk_image_open(void) {
    char home[3000] = "", path[4096];
    ch_jvm_property("java.home", home, sizeof home);
    snprintf(path, sizeof path, "%s/lib/libjimage.so", home);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library) return;
    open_function *open_image = (open_function *)(uintptr_t)dlsym(library, "JIMAGE_Open");
    package_to_module = (module_function *)(uintptr_t)dlsym(library, "JIMAGE_PackageToModule");
    find_resource = (find_function *)(uintptr_t)dlsym(library, "JIMAGE_FindResource");
    get_resource = (get_function *)(uintptr_t)dlsym(library, "JIMAGE_GetResource");
    snprintf(path, sizeof path, "%s/lib/modules", home);
    jint error = 0;
    if (open_image && package_to_module && find_resource && get_resource) image = open_image(path, &error);
}

unsigned char *ch_jdk_image_class(const char *name, size_t *bytes) {
    char package[512], file[1024];
    const char *slash = strrchr(name, '/'), *module;
    size_t n = slash ? (size_t)(slash - name) : 0;
    jlong size = 0, location;
    if (!image || !n || n >= sizeof package || strlen(name) > sizeof file - sizeof ".class") return NULL;
    memcpy(package, name, n);
    package[n] = 0;
    snprintf(file, sizeof file, "%s.class", name);
    if (!(module = package_to_module(image, package)) || !(location = find_resource(image, module, "9.0", file, &size)))
        return NULL;
    unsigned char *data = size > 0 && size < LARGEST ? malloc((size_t)size) : NULL;
    if (data && get_resource(image, location, (char *)data, size) != size) {
        free(data);
        return NULL;
    }
    *bytes = (size_t)size;
    return data;
}
