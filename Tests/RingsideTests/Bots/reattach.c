/* One thread emits without end; the other attaches the same ring again and again, and ends the lives in one of several ways. */
#include "ringside.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct instruments {
    ringside_producer *producer;
    uint32_t total, level, wait, depth;
};

static struct instruments attached[1024];
static struct instruments *current;
static int is_over;

static void fail(const struct ringside_error *error) {
    char message[512];
    ringside_error_message(error, message, sizeof message);
    puts(message);
    exit(1);
}

static uint32_t metric(ringside_producer *producer, const char *name, int kind, int number, int unit) {
    struct ringside_definition definition;
    struct ringside_error error;
    uint32_t id;
    memset(&definition, 0, sizeof definition);
    definition.name = name;
    definition.help = "Of a test.";
    definition.kind = (uint8_t)kind;
    definition.number = (uint8_t)number;
    definition.unit = (uint8_t)unit;
    definition.encoding = RINGSIDE_ENCODING_NUMBER;
    if (ringside_register(producer, &definition, &id, &error) != RINGSIDE_OK) fail(&error);
    return id;
}

static const struct instruments *attach(struct instruments *made, const char *name, uint32_t ceiling, uint32_t metrics) {
    struct ringside_options options;
    struct ringside_error error;
    memset(&options, 0, sizeof options);
    options.capacity_records = 1024;
    options.metric_capacity = metrics;
    options.maximum_records_per_second = ceiling;
    options.guard = 1;
    if (ringside_attach(name, &options, &made->producer, &error) != RINGSIDE_OK) fail(&error);
    made->total = metric(made->producer, "hits_total", RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, RINGSIDE_UNIT_NONE);
    made->level = metric(made->producer, "level", RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, RINGSIDE_UNIT_NONE);
    made->wait = metric(made->producer, "wait_seconds", RINGSIDE_KIND_HISTOGRAM, RINGSIDE_NUMBER_F64, RINGSIDE_UNIT_SECONDS);
    made->depth = metric(made->producer, "depth", RINGSIDE_KIND_UP_DOWN_COUNTER, RINGSIDE_NUMBER_I64, RINGSIDE_UNIT_NONE);
    __atomic_store_n(&current, made, __ATOMIC_RELEASE);
    return made;
}

static void emit(const struct instruments *use) {
    struct ringside_span span = ringside_span_begin(use->producer, use->wait, 1);
    ringside_counter_add(use->producer, use->total, 1);
    ringside_gauge_set(use->producer, use->level, 2);
    ringside_gauge_change(use->producer, use->level, 3);
    ringside_up_down_add(use->producer, use->depth, 1);
    ringside_duration_ns(use->producer, use->wait, 5, 0);
    ringside_span_end(use->producer, span, 0);
    ringside_span_abandon(use->producer, span);
}

static void *emit_for_ever(void *unused) {
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        const struct instruments *use = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
        for (int k = 0; use && k < 4096 && !__atomic_load_n(&is_over, __ATOMIC_RELAXED); k++) emit(use);
    }
    return unused;
}

static void fork_once(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        for (int k = 0; k < 1000; k++) emit(current);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        printf("child ended with %d\n", status);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[1] : "";
    int rounds = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, emit_for_ever, NULL) != 0) return 1;
    for (int round = 0; round < rounds && round < 1024; round++) {
        const struct instruments *made =
            attach(&attached[round], "alpha", round % 2 ? 1000 : 0, strcmp(mode, "grow") == 0 ? 8 : 64);
        char name[32];
        usleep(300);
        for (int k = 0; strcmp(mode, "grow") == 0 && k < 4; k++) {
            snprintf(name, sizeof name, "extra_%d_%d", round, k);
            metric(made->producer, name, RINGSIDE_KIND_GAUGE, RINGSIDE_NUMBER_F64, RINGSIDE_UNIT_NONE);
            usleep(50);
        }
        if (strcmp(mode, "fork") == 0) fork_once();
        if (strcmp(mode, "drop") == 0 || strcmp(mode, "fork") == 0) ringside_drop(made->producer);
        else ringside_detach(made->producer);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
