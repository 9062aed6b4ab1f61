/* The threads of the process, as the kernel lists them: also those that are not Java's. */
#include "base.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ch_each_thread(bool (*each)(uint32_t tid, void *with), void *with) {
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);
        if (tid && !each(tid, with)) break;
    }
    if (folder) closedir(folder);
}

void ch_thread_kernel_name(uint32_t tid, char name[CH_KERNEL_NAME]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    FILE *f = fopen(path, "re");
    if (!f || !fgets(name, CH_KERNEL_NAME, f)) *name = 0;
    if (f) fclose(f);
    name[strcspn(name, "\n")] = 0;
}
