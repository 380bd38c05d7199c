/* Bots that stand in each other's way: two that want one name, and one that forks. */
#include "bot.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Waits until both racers have come to `step`. */
static void meet(uint32_t *arrivals, uint32_t step) {
    __atomic_add_fetch(arrivals, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(arrivals, __ATOMIC_SEQ_CST) < 2 * step) sleep_ns(10000);
}

/* Attaches `rounds` times at the same moment as another that shares the file `barrier`; says `won` or `lost PID MESSAGE` each
 * time. Every other winner lets go without a good-bye: its ring is replaced or resumed by turns. */
int race_verb(const struct words *words) {
    int descriptor = open(text(words, "barrier", ""), O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || ftruncate(descriptor, 4096) != 0) return 3;
    uint32_t *arrivals = (uint32_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    uint32_t step = 0;
    say("pid %d", (int)getpid());
    for (long round = 0; round < number(words, "rounds", 0); round++) {
        struct ringside_error error;
        meet(arrivals, ++step);
        ringside_producer *producer = try_to_attach(words, &error);
        if (producer) {
            say("won");
        } else {
            char message[768];
            ringside_error_message(&error, message, sizeof message);
            say("lost %d %s", error.pid, message);
        }
        meet(arrivals, ++step);
        if (producer) ringside_detach(producer);
    }
    return 0;
}

/* Forks while attached. The child emits through what it inherited, says `child PID`, and lives on with its parent. */
int fork_verb(const struct words *words) {
    ringside_producer *producer = attach(words);
    uint32_t total = metric(producer, "writes_total", RINGSIDE_KIND_COUNTER);
    uint32_t values = metric(producer, "pattern", RINGSIDE_KIND_HISTOGRAM);
    for (int k = 0; k < 5; k++) {
        ringside_counter_add(producer, total, 1);
        write_pattern(producer, values);
    }
    if (fork() == 0) {
        alarm(60); /* no child inherits an alarm */
        for (int k = 0; k < 1000; k++) {
            ringside_counter_add(producer, total, 1);
            write_pattern(producer, values);
        }
        say("child %d", (int)getpid());
    }
    while (!is_told_to_end()) sleep_ns(1000000);
    return 0;
}

static void *fork_again_and_again(void *unused) {
    (void)unused;
    for (int k = 0; k < 20; k++) {
        if (fork() == 0) {
            alarm(60);
            say("child %d", (int)getpid());
            while (!is_told_to_end()) sleep_ns(1000000);
            _exit(0);
        }
        sleep_ns(2000000);
    }
    return NULL;
}

/* One thread forks while another attaches, grows and lets go of rings; says `ready` when both are done, and stays attached. */
int forks_verb(const struct words *words) {
    pthread_t forking;
    ringside_producer *producer = NULL;
    long counted = 0;
    pthread_create(&forking, NULL, fork_again_and_again, NULL);
    for (long round = 0; round < 20; round++) {
        char name[32];
        if (producer) ringside_detach(producer);
        producer = attach(words);
        snprintf(name, sizeof name, "round_%ld_total", round);
        ringside_counter_add(producer, metric(producer, name, RINGSIDE_KIND_COUNTER), 1);
        counted++;
    }
    pthread_join(forking, NULL);
    say("ready %ld", counted);
    while (!is_told_to_end()) sleep_ns(1000000);
    return 0;
}
