/* The SIGBUS guard. Its tables only ever grow, because a signal handler can neither allocate nor lock. */
#include "private.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct guarded_range {
    uint64_t base; /* 0 while the slot is free; stored last, with release (edge GUARD) */
    uint64_t bytes;
    uint32_t was_hit;
};

struct guard_table {
    struct guarded_range ranges[RINGSIDE_GUARDS_A_TABLE];
    struct guard_table *next; /* stored once, with release, when the table before it is full; never freed */
};

static struct guard_table first_table;
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;
static int lowest_free;          /* no slot below it is free */
static uint32_t running_handlers;
static struct sigaction previous;
static int is_installed;

void ringside_lock_guards(void) { pthread_mutex_lock(&tables_lock); }
void ringside_unlock_guards(void) { pthread_mutex_unlock(&tables_lock); }

void ringside_forget_running_handlers(void) { __atomic_store_n(&running_handlers, 0, __ATOMIC_SEQ_CST); }

static struct guard_table *next_of(const struct guard_table *table) {
    return __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
}

/* Returns the slot's range. Adds a table if the slot's table is missing; returns NULL if there is no memory for it. */
static struct guarded_range *range_of(int slot) {
    struct guard_table *table = &first_table;
    for (; slot >= RINGSIDE_GUARDS_A_TABLE; slot -= RINGSIDE_GUARDS_A_TABLE) {
        struct guard_table *next = next_of(table);
        if (!next) {
            next = (struct guard_table *)calloc(1, sizeof *next);
            if (!next) return NULL;
            __atomic_store_n(&table->next, next, __ATOMIC_RELEASE);
        }
        table = next;
    }
    return &table->ranges[slot];
}

/* mmap(2) is not on the list of signal-safety(7), but on Linux it is a bare system call. */
static int put_zeros(struct guarded_range *range, uint64_t base) {
    if (!ringside_replace_by_zeros((void *)(uintptr_t)base, range->bytes)) return 0;
    ringside_store_release_32(&range->was_hit, 1);
    return 1;
}

static void pass_on(int signal_number, siginfo_t *info, void *context) {
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal_number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal_number);
    } else {
        /* On return the same access faults again, and ends the process as if there were no guard. */
        signal(signal_number, SIG_DFL);
    }
}

static int put_zeros_at(uint64_t address) {
    for (struct guard_table *table = &first_table; table; table = next_of(table)) {
        for (int slot = 0; slot < RINGSIDE_GUARDS_A_TABLE; slot++) {
            struct guarded_range *range = &table->ranges[slot];
            /* Edge GUARD, handler's end: a handler that sees a base sees its size. */
            uint64_t base = ringside_load_acquire_64(&range->base);
            if (base != 0 && address - base < range->bytes && put_zeros(range, base)) return 1;
        }
    }
    return 0;
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context) {
    int number = errno;
    __atomic_fetch_add(&running_handlers, 1, __ATOMIC_SEQ_CST);
    int done = put_zeros_at((uint64_t)(uintptr_t)info->si_addr);
    __atomic_fetch_sub(&running_handlers, 1, __ATOMIC_SEQ_CST);
    errno = number;
    if (!done) pass_on(signal_number, info, context);
}

static int install(void) {
    struct sigaction action;
    if (is_installed) return 1;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(SIGBUS, &action, &previous) == 0;
    return is_installed;
}

int ringside_guard_add(void *base, uint64_t bytes) {
    struct guarded_range *range = NULL;
    int slot = -1;
    ringside_install_fork_handlers();
    pthread_mutex_lock(&tables_lock);
    if (install()) {
        slot = lowest_free;
        while ((range = range_of(slot)) && range->base != 0) slot++;
    }
    if (range) {
        lowest_free = slot + 1;
        range->bytes = bytes;
        ringside_store_relaxed_32(&range->was_hit, 0);
        /* Edge GUARD, caller's end. */
        ringside_store_release_64(&range->base, (uint64_t)(uintptr_t)base);
    }
    pthread_mutex_unlock(&tables_lock);
    return range ? slot : -1;
}

/* Removes a range. Waits for running handlers: a handler that has seen the range would put its zeros over the next mapping
 * there. */
void ringside_guard_remove(int slot) {
    if (slot < 0) return;
    pthread_mutex_lock(&tables_lock);
    __atomic_store_n(&range_of(slot)->base, 0, __ATOMIC_SEQ_CST);
    if (slot < lowest_free) lowest_free = slot;
    pthread_mutex_unlock(&tables_lock);
    while (__atomic_load_n(&running_handlers, __ATOMIC_SEQ_CST) != 0) sched_yield();
}

int ringside_guard_was_hit(int slot) { return slot >= 0 && ringside_load_acquire_32(&range_of(slot)->was_hit) != 0; }
