/* The clock that this process ticks by, and the length of a tick. */
#include "private.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum ringside_clock_kind kind_of_process;
static struct ringside_anchor first_anchor;

#if defined(__x86_64__)
/* Returns whether the kernel lists `tsc`. It removes it from this list when it finds that the counters of two processors
 * disagree. */
static int kernel_trusts_tsc(void) {
    char sources[256];
    int descriptor = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t bytes = read(descriptor, sources, sizeof sources - 1);
    close(descriptor);
    if (bytes < 0) return 0;
    sources[bytes] = 0;
    char *rest = NULL;
    for (char *word = strtok_r(sources, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        if (strcmp(word, "tsc") == 0) return 1;
    return 0;
}

static int tsc_is_invariant(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}
#endif

static enum ringside_clock_kind choose_kind(void) {
#if defined(__x86_64__)
    return tsc_is_invariant() && kernel_trusts_tsc() ? RINGSIDE_CLOCK_TSC : RINGSIDE_CLOCK_MONOTONIC;
#elif defined(__aarch64__)
    return RINGSIDE_CLOCK_CNTVCT; /* architecturally one system counter for all cores (Arm ARM D11) */
#else
    return RINGSIDE_CLOCK_MONOTONIC;
#endif
}

static void choose_once(void) {
    kind_of_process = choose_kind();
    first_anchor = ringside_clock_anchor(kind_of_process);
}

enum ringside_clock_kind ringside_clock_kind(void) {
    pthread_once(&once, choose_once);
    return kind_of_process;
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t ringside_monotonic_ns(void) { return nanoseconds(CLOCK_MONOTONIC); }

struct ringside_anchor ringside_clock_anchor(enum ringside_clock_kind kind) {
    struct ringside_anchor best;
    uint64_t shortest = UINT64_MAX;
    memset(&best, 0, sizeof best);
    for (int attempt = 0; attempt < 16; attempt++) {
        uint64_t before = ringside_ticks(kind);
        uint64_t monotonic = nanoseconds(CLOCK_MONOTONIC);
        uint64_t after = ringside_ticks(kind);
        if (after - before >= shortest) continue;
        shortest = after - before;
        best.ticks = before + shortest / 2;
        best.monotonic_ns = monotonic;
        best.realtime_ns = nanoseconds(CLOCK_REALTIME) - (nanoseconds(CLOCK_MONOTONIC) - monotonic);
    }
    return best;
}

double ringside_clock_ticks_per_second(void) {
    const uint64_t shortest_ns = 5000000;
    enum ringside_clock_kind kind = ringside_clock_kind();
    if (kind == RINGSIDE_CLOCK_MONOTONIC) return 1e9;
    for (;;) {
        struct ringside_anchor now = ringside_clock_anchor(kind);
        uint64_t elapsed = now.monotonic_ns - first_anchor.monotonic_ns;
        if (elapsed >= shortest_ns) return (double)(now.ticks - first_anchor.ticks) / (double)elapsed * 1e9;
        struct timespec rest = {0, (long)(shortest_ns - elapsed)};
        nanosleep(&rest, NULL);
    }
}
