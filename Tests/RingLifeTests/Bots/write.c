/* Bots that count and write: what they did they say, and the ring must agree. */
#include "bot.h"

#include <stdio.h>
#include <unistd.h>

/* A counter and a record each time, so that the two can be held against each other. `registers` looks its metrics up again
 * and adds new ones all the while. After each SIGUSR1 it says `went on` once it has done a hundred more. */
int write_verb(const struct words *words) {
    ringside_producer *producer = attach(words);
    long count = number(words, "count", 0), pace = number(words, "pace", 0), registers = number(words, "registers", 0);
    uint32_t total = metric(producer, "writes_total", RINGSIDE_KIND_COUNTER);
    uint32_t values = metric(producer, "pattern", RINGSIDE_KIND_HISTOGRAM);
    enum { MORE = 100 };
    long done = 0, added = 0, answered = 0, answer_at = -1;
    say("ready %d", (int)getpid());
    for (; !is_told_to_end() && (count == 0 || done < count); done++) {
        ringside_counter_add(producer, total, 1);
        write_pattern(producer, values);
        if (pace) sleep_ns((uint64_t)pace);
        if (answer_at < 0 && answered < asked_to_go_on()) answer_at = done + MORE;
        if (done == answer_at) {
            say("went on %ld", done);
            answered++;
            answer_at = -1;
        }
        if (registers && done % 16 == 0) {
            char name[32];
            struct ringside_definition extra = {name, "More.", NULL, 0, RINGSIDE_KIND_COUNTER, RINGSIDE_NUMBER_U64, 0,
                                                RINGSIDE_ENCODING_NUMBER, 0};
            uint32_t id;
            snprintf(name, sizeof name, "extra_%ld_total", added++ % 64);
            if (ringside_register(producer, &extra, &id, NULL) == RINGSIDE_OK) ringside_counter_add(producer, id, 1);
        }
    }
    say("wrote %ld enabled %d", done, ringside_is_enabled(producer, total));
    while (number(words, "stay", 0) && !is_told_to_end()) sleep_ns(1000000);
    ringside_detach(producer);
    return 0;
}

/* Counts `add` in `steady_total`, then registers `old` metrics of one name and `more` of another, each counted once. */
int register_verb(const struct words *words) {
    ringside_producer *producer = attach(words);
    uint32_t steady = metric(producer, "steady_total", RINGSIDE_KIND_COUNTER);
    ringside_counter_add(producer, steady, (uint64_t)number(words, "add", 0));
    static const char *const names[] = {"old", "more"};
    for (int n = 0; n < 2; n++) {
        for (long k = 0; k < number(words, names[n], 0); k++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%ld_total", names[n], k);
            ringside_counter_add(producer, metric(producer, name, RINGSIDE_KIND_COUNTER), 1);
        }
    }
    ringside_counter_add(producer, steady, (uint64_t)number(words, "then", 0));
    say("ready %d", (int)getpid());
    while (number(words, "stay", 0) && !is_told_to_end()) sleep_ns(1000000);
    if (!number(words, "leave", 0)) ringside_detach(producer);
    return 0;
}

/* One deployment of a bot whose metrics have other names each time. Each is counted once when it is made and once more when
 * all are, through the id that it was given first. */
int redeploy_verb(const struct words *words) {
    enum { MOST = 1000 };
    ringside_producer *producer = attach(words);
    long generation = number(words, "generation", 0), metrics = number(words, "new", 0);
    uint32_t steady = metric(producer, "steady_total", RINGSIDE_KIND_COUNTER), ids[MOST];
    uint32_t values = metric(producer, "pattern", RINGSIDE_KIND_HISTOGRAM);
    for (long k = 0; k < metrics && k < MOST; k++) {
        char name[64];
        snprintf(name, sizeof name, "generation_%ld_metric_%ld_total", generation, k);
        ids[k] = metric(producer, name, RINGSIDE_KIND_COUNTER);
        ringside_counter_add(producer, ids[k], 1);
        ringside_counter_add(producer, steady, 1);
        write_pattern(producer, values);
    }
    for (long k = 0; k < metrics && k < MOST; k++) ringside_counter_add(producer, ids[k], 1);
    ringside_detach(producer);
    return 0;
}

/* Replaces its ring again and again, each time with metrics and records, for so many milliseconds. */
int churn_verb(const struct words *words) {
    uint64_t end = ringside_monotonic_ns() + (uint64_t)number(words, "milliseconds", 0) * 1000000;
    long rounds = 0;
    for (; ringside_monotonic_ns() < end; rounds++) {
        ringside_producer *producer = attach(words);
        uint32_t total = metric(producer, "writes_total", RINGSIDE_KIND_COUNTER);
        uint32_t values = metric(producer, "pattern", RINGSIDE_KIND_HISTOGRAM);
        for (int k = 0; k < 10; k++) {
            ringside_counter_add(producer, total, 1);
            write_pattern(producer, values);
        }
        ringside_detach(producer);
    }
    say("rounds %ld", rounds);
    return 0;
}
