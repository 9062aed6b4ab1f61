/* Tells all measures what happens. */
#include "measure.h"

struct ch_wanted ch_wanted;

static const struct ch_measure *const none[] = {NULL};
static const struct ch_measure *const *measures = none;

void ch_measures_are(const struct ch_measure *const *all) { measures = all; }

#define TELL(what, ...) \
    for (const struct ch_measure *const *m = measures; *m; m++) \
        if ((*m)->what) (*m)->what(__VA_ARGS__)

void ch_measures_on_rules(void) { TELL(on_rules); }
void ch_measures_early(struct ch_error *error) { TELL(early, error); }
void ch_measures_prepare(JNIEnv *env, struct ch_error *error) { TELL(prepare, env, error); }
void ch_measures_start(JNIEnv *env, jthread self, struct ch_error *error) { TELL(start, env, self, error); }
void ch_measures_pause(void) { TELL(pause); }
void ch_measures_exchanged(JNIEnv *env, const char *before, const char *now) { TELL(exchanged, env, before, now); }
void ch_measures_stop(JNIEnv *env, bool at_death) { TELL(stop, env, at_death); }
void ch_measures_anew(JNIEnv *env) { TELL(anew, env); }
void ch_measures_on_definition(const char *class_name) { TELL(on_definition, class_name); }
void ch_measures_on_class(const struct ch_woven_class *woven) { TELL(on_class, woven); }
void ch_measures_on_thread_begin(JNIEnv *env, jthread thread) { TELL(on_thread_begin, env, thread); }
void ch_measures_on_thread_end(JNIEnv *env, jthread thread) { TELL(on_thread_end, env, thread); }
