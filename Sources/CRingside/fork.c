/* One pair of locks around every fork: of the producers, and of the guard's table. Taken in this order wherever both are. */
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

/* The table's lock goes first: producers that have no ring any more give their guards back. */
static void after_fork_in_child(void) {
    ringside_unlock_guards();
    ringside_forget_running_handlers();
    ringside_leave_to_parent();
    ringside_unlock_producers();
}

static void install(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

void ringside_install_fork_handlers(void) { pthread_once(&once, install); }
