/* Errors of C functions.
 *
 * 1. A function that may fail for a reason the user should read takes a `struct ch_error *` as its last parameter, adds
 *    the reason and returns false or NULL: `return ch_fail(error, "cannot read %s: %s", path, strerror(errno));`
 * 2. Its caller passes its own parameter on and returns false, too; it may add a line that names what cannot be done
 *    for that reason.
 * 3. A function that goes on without something adds a line with ch_warn and returns true.
 * 4. The outermost function owns the struct and shows it: agent.c prints it or writes it into the answer to an
 *    attachment; live/control_commands.c and live/control_socket.c put it into an answer on the control socket.
 * 5. ch_say prints at once. It is for events and threads of the JVM, where no caller waits for an answer.
 */
#ifndef CLASSHOOK_ERROR_H
#define CLASSHOOK_ERROR_H
#include <jvmti.h>
#include <stdbool.h>

enum { CH_ERROR_ROOM = 8192 };
struct ch_error { /* initialised by {0} */
    char text
        /* lines, without a newline at the end; empty: nothing went wrong. What does not fit is left out */
        [CH_ERROR_ROOM];
};
bool ch_fail(struct ch_error *e, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* adds a line; returns false */
void ch_warn(struct ch_error *e, const char *format, ...) __attribute__((format(printf, 2, 3))); /* adds a line */
bool ch_check(struct ch_error *e, jvmtiError code, const char *what); /* false and a line if the JVM refused that */
void ch_error_say(const struct ch_error
                      *e); /* prints its lines; an indented one quotes source below its message, and has no prefix */

void ch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ch_ok(jvmtiError code, const char *what); /* as ch_check, and prints the line at once */
#endif
