/* Hands an event to the hub, which calls NotifyEvent by one of its handlers: for events that are delivered at once,
 * with and without a limit of time, and one for each queued event, which has its own options and its own count of
 * losses. */
#include "jvmpi.h"

__thread bool ch_jvmpi_quiet;
static unsigned at_once, unlimited, queued[CH_JVMPI_TYPES];

void ch_jvmpi_tell_to(unsigned sync, unsigned without_limit) {
    at_once = sync;
    unlimited = without_limit;
}

/* queue_to(type, handler) */
PyObject *ch_jvmpi_queue_to(PyObject *self, PyObject *args) {
    unsigned type, handler;
    (void)self;
    if (!PyArg_ParseTuple(args, "II", &type, &handler)) return NULL;
    if (type < CH_JVMPI_TYPES) ch_store_relaxed(&queued[type], handler);
    Py_RETURN_NONE;
}

bool ch_jvmpi_tell(struct ch_call *call, uint32_t type, char way) {
    call->record.site = type;
    return !ch_jvmpi_quiet && ch_hub->tell(way == 'S'   ? at_once
                                           : way == 'L' ? unlimited
                                                        : ch_load_relaxed(&queued[type]),
                                           call);
}
