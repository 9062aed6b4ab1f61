/* The live layer: the tracker, sessions of counting in a JVM that runs, the control socket. It knows nothing of how the
 * agent got there. */
#ifndef CLASSHOOK_LIVE_H
#define CLASSHOOK_LIVE_H
#include "../events/events.h"
#include "../locks/locks.h"
#include "../objects/objects.h"
#include "../watch/watch.h"

/* ---- rules_file.c */
/* compiled rules, malloc'ed, or NULL. No path: a bundle's, or none */
char *ch_rules_read(const char *path, size_t *bytes, struct ch_error *error);

/* ---- tracker_class.c: the class that woven code calls */
bool ch_tracker_define(JNIEnv *env, struct ch_error *error);
bool ch_tracker_is_there(void);
bool ch_tracker_link(JNIEnv *env); /* all its natives are found, and it is initialised */
bool ch_tracker_initialise(JNIEnv *env); /* in a JVM that runs: gives it its natives. ClassPrepare must call: */
void ch_tracker_linked(JNIEnv *env, jclass c);

/* ---- jdk_check.c: for `classhook self doctor` */
bool ch_jdk_check_start(const char *asked, const char *out, struct ch_error *error);

/* ---- session.c: counting, from when until when, by which rules */
bool ch_session_may_weave(struct ch_error *error); /* takes the capabilities for it, best while the JVM starts */
void ch_session_at_init(JNIEnv *env, jthread thread, struct ch_error *error); /* at VMInit */
/* the first one of an agent that was not there when the JVM started */
bool ch_session_attach(JNIEnv *env, struct ch_stops *stops, struct ch_error *error);
/* Takes the text of rules; begins a session if there is none. */
bool ch_session_change(JNIEnv *env, char *rules, size_t bytes, struct ch_stops *stops, struct ch_error *error);
/* false: its data file is not where it should be */
bool ch_session_end(JNIEnv *env, struct ch_stops *stops, struct ch_error *error);
/* the same, but what it counted goes */
void ch_session_undo(JNIEnv *env, struct ch_stops *stops, struct ch_error *error);
/* changes what is postponed; after a session, too */
void ch_session_now(JNIEnv *env, struct ch_stops *stops, struct ch_error *error);
bool ch_session_is_on(void);
bool ch_session_take(void); /* for the six above: one at a time; false: another thread has it */
/* the same, for threads that no other session waits for; false: another thread had it all the time */
bool ch_session_wait(void);
void ch_session_give(void);
bool ch_session_is_live(void); /* rules were exchanged, or the agent was attached */

/* ---- postponed_changes.c: the thread that changes classes whose loops have ended */
/* the thread is there or not, as needed. `look`: there; whether no class is left */
void ch_postponed_settle(JNIEnv *env, bool (*look)(JNIEnv *env), struct ch_error *error);
void ch_postponed_stop(void); /* the JVM ends */

/* ---- json_reply.c: lines of JSON */
struct ch_reply {
    char *text; /* malloc'ed */
    size_t bytes, room;
    bool failed; /* the text is an error, or there is no memory even for that */
    int client; /* for whom it is: the connection's descriptor; -1: a handler */
};
void ch_reply_add(struct ch_reply *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ch_reply_string(struct ch_reply *r, const char *text, size_t n); /* a JSON string */
void ch_reply_field(struct ch_reply *r, const char *key, const char *text);
/* fields that follow others, also why not all was done */
void ch_reply_stops(struct ch_reply *r, const struct ch_stops *s);
void ch_reply_postponed(struct ch_reply *r); /* one more: which loops classes wait for. With the session's turn */
void ch_reply_text(struct ch_reply *r, const char *text); /* lines of JSON, as they are */
void ch_reply_lines(struct ch_reply *r, const char *text); /* an object for each line */
void ch_reply_free(struct ch_reply *r);

/* ---- attach_answer.c: the agent's answer to an attachment */
bool ch_answer_open(const char *name); /* NULL: stderr */
/* messages, then the reply; the last one before the next ch_answer_open */
void ch_answer(const struct ch_error *said, const struct ch_reply *r);

/* ---- exchange_progress.c */
/* a client follows what is done from now on, by this name */
void ch_progress_begin(struct ch_stops *stops, const char *name);
void ch_progress_end(struct ch_stops *stops);

/* ---- own_commands.c: what the JVM does for clients that attach */
/* its text, malloc'ed, or NULL */
char *ch_own_command(const char *command, const char *argument, const char *more, struct ch_error *error);

/* ---- management_beans.c: what the JVM's management beans do */
/* as jcmd's: its answer, malloc'ed, or NULL */
char *ch_diagnostic(JNIEnv *env, const char *command, struct ch_error *error);
bool ch_heap_dump(JNIEnv *env, const char *path, struct ch_error *error); /* to a new file */

/* ---- thread_dumps.c: threads in the data file */
bool ch_dump_threads(JNIEnv *env, struct ch_error *error); /* all of them, with monitors, as they are now */
extern const struct ch_measure ch_measure_thread_log;
void ch_thread_log_ask(void); /* when threads begin and end is wanted */

/* ---- control_commands.c */
bool ch_command(JNIEnv *env, const char *line, struct ch_reply *r); /* false: the session has ended */
extern void (*ch_control_begin_events)(JNIEnv *env, struct ch_error *error); /* of the layer above: scripts begin */
char *ch_command_ask(JNIEnv *env, const char *line); /* by a handler: the answer, malloc'ed; NULL: there is none */

/* ---- loaded_members.c: commands, for what rules are compared with */
bool ch_answer_classes(JNIEnv *env, const char *text, struct ch_reply *r); /* the names of all */
/* `class NAME`: members of those of this name, with slashes */
bool ch_answer_class(JNIEnv *env, const char *text, struct ch_reply *r);
/* `subtypes NAME FIELD`: those that declare this field */
bool ch_answer_subtypes(JNIEnv *env, const char *text, struct ch_reply *r);

/* ---- held_rules.c: rules that last as long as their client's connection. On the thread of the control socket: */
bool ch_hold(JNIEnv *env, const char *rule, struct ch_reply *r); /* a command */
bool ch_holds(int client);
void ch_holds_leave(int client); /* its connection ends */
/* removes rules that no client holds any more; false: a client is attaching or detaching */
bool ch_holds_settle(JNIEnv *env);
void ch_holds_forget(void); /* at the session's end */

/* ---- control_socket.c: the control socket */
const char *ch_control_start(JNIEnv *env, struct ch_error *error); /* its path, or NULL. Does nothing if it is there */
void ch_control_stop(void);
#endif
