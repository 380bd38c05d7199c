/* The SIGBUS guard: a fixed table, because a signal handler can neither allocate nor lock. */
#include "private.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

struct guarded_range {
    uint64_t base; /* 0 while the slot is free; stored last, with release (edge GUARD) */
    uint64_t bytes;
    uint32_t was_hit;
};

static struct guarded_range ranges[RINGSIDE_GUARDS];
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static int is_installed;

/* mmap(2) is not on the list of signal-safety(7), but on Linux it is a bare system call. */
static int put_zeros(struct guarded_range *range, uint64_t base) {
    void *zeros = mmap((void *)(uintptr_t)base, range->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) return 0;
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

static void on_bus_error(int signal_number, siginfo_t *info, void *context) {
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    for (int slot = 0; slot < RINGSIDE_GUARDS; slot++) {
        /* Edge GUARD, handler's end: a base that is seen has its size. */
        uint64_t base = ringside_load_acquire_64(&ranges[slot].base);
        if (base == 0 || address - base >= ranges[slot].bytes) continue;
        if (put_zeros(&ranges[slot], base)) return;
    }
    pass_on(signal_number, info, context);
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
    int slot = -1;
    pthread_mutex_lock(&ranges_lock);
    if (install())
        for (int k = 0; k < RINGSIDE_GUARDS && slot < 0; k++)
            if (ranges[k].base == 0) slot = k;
    if (slot >= 0) {
        ranges[slot].bytes = bytes;
        ringside_store_relaxed_32(&ranges[slot].was_hit, 0);
        /* Edge GUARD, caller's end. */
        ringside_store_release_64(&ranges[slot].base, (uint64_t)(uintptr_t)base);
    }
    pthread_mutex_unlock(&ranges_lock);
    return slot;
}

void ringside_guard_remove(int slot) {
    if (slot < 0) return;
    pthread_mutex_lock(&ranges_lock);
    ringside_store_release_64(&ranges[slot].base, 0);
    pthread_mutex_unlock(&ranges_lock);
}

int ringside_guard_was_hit(int slot) { return slot >= 0 && ringside_load_acquire_32(&ranges[slot].was_hit) != 0; }
