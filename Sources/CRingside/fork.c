/* The pair of locks that is held around every fork: the producers' lock and the guard table's lock. They are taken in this
 * order wherever both are. */
#include "private.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void) {
    ringside_lock_producers();
    ringside_lock_guards();
}

static void after_fork_in_parent(void) {
    ringside_unlock_guards();
    ringside_unlock_producers();
}

/* Unlocks the table first, because producers that lose their ring give their guards back. */
static void after_fork_in_child(void) {
    ringside_unlock_guards();
    ringside_forget_running_handlers();
    ringside_leave_to_parent();
    ringside_unlock_producers();
}

static void install(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

void ringside_install_fork_handlers(void) { pthread_once(&once, install); }
