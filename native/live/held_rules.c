/* Rules that last as long as a client's connection to the control socket: `hold RULE`.
 *
 * 1. A client holds a rule, then adds it, and takes it out itself when it is done: that costs the program least.
 * 2. If the connection ends first, for whatever reason, the agent takes the rule out. Python makes the new rules, in
 *    the JVM.
 * 3. A rule that was in force before a client held it is the session's own and is not held. If several clients hold a
 *    rule, the last one ends it.
 *
 * All of it runs on the thread of the control socket.
 */
#include "live.h"
#include <stdlib.h>
#include <string.h>

enum { HOLDS = 16 };

static struct hold {
    char *rule; /* as in compiled rules; NULL: free */
    int client;  /* -1: gone */
} holds[HOLDS];

static size_t others(const char *rule, int client) {
    size_t n = 0;
    for (size_t i = 0; i < HOLDS; i++)
        n += holds[i].rule && holds[i].client >= 0 && holds[i].client != client && !strcmp(holds[i].rule, rule);
    return n;
}

static void end(struct hold *h) {
    free(h->rule);
    h->rule = NULL;
}

bool ch_holds(int client) {
    for (size_t i = 0; i < HOLDS; i++)
        if (holds[i].rule && holds[i].client == client) return true;
    return false;
}

/* The client's own hold of a rule, or a new one; NULL: there is no room. */
static struct hold *hold_of(const char *rule, int client) {
    struct hold *free_one = NULL;
    for (size_t i = 0; i < HOLDS; i++) {
        if (holds[i].rule && holds[i].client == client && !strcmp(holds[i].rule, rule)) return &holds[i];
        if (!holds[i].rule) free_one = &holds[i];
    }
    if (free_one && (free_one->rule = strdup(rule))) free_one->client = client;
    return free_one && free_one->rule ? free_one : NULL;
}

/* True if a client holds the rule, or did and the rule has not been removed yet. */
static bool is_held(const char *rule) {
    for (size_t i = 0; i < HOLDS; i++)
        if (holds[i].rule && !strcmp(holds[i].rule, rule)) return true;
    return false;
}

bool ch_hold(JNIEnv *env, const char *rule, struct ch_reply *r) {
    (void)env;
    bool held = *rule && (is_held(rule) || !ch_python_has_rule(rule));
    if (!*rule)
        ch_reply_add(r, "{\"error\": \"hold RULE: which rule?\"}\n");
    else if (held && !hold_of(rule, r->client))
        ch_reply_add(r, "{\"error\": \"too many clients hold rules\"}\n");
    else
        ch_reply_add(r, "{\"ok\": true, \"held\": %s, \"others\": %zu}\n", held ? "true" : "false",
                     others(rule, r->client));
    return true;
}

void ch_holds_leave(int client) {
    for (size_t i = 0; i < HOLDS; i++)
        if (holds[i].client == client) holds[i].client = -1;
}

/* With the session taken. */
static void take_out(JNIEnv *env, const char *rule) {
    struct ch_stops stops = {0};
    struct ch_error error = {0};
    char *rules = ch_python_without(rule, &error);
    if (!rules || !ch_session_change(env, rules, strlen(rules), &stops, &error)) {
        ch_fail(&error, "could not remove the rule of a client that disconnected: %s", rule);
        ch_error_say(&error);
    } /* else there is no client to read warnings */
}

bool ch_holds_settle(JNIEnv *env) {
    for (size_t i = 0; i < HOLDS; i++) {
        struct hold *h = &holds[i];
        if (!h->rule || h->client >= 0) continue;
        if (!others(h->rule, -1) && ch_session_is_on()) {
            if (!ch_session_take()) return false;
            if (ch_session_is_on() && ch_python_has_rule(h->rule)) take_out(env, h->rule);
            ch_session_give();
        }
        end(h);
    }
    return true;
}

void ch_holds_forget(void) {
    for (size_t i = 0; i < HOLDS; i++) end(&holds[i]);
}
