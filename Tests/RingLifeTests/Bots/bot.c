/* A bot that tests run as another process: `bot VERB RING KEY=VALUE...`. It ends by itself after two minutes, whatever becomes
 * of the test. */
#include "bot.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t told_to_end, times_asked;

static void on_term(int signal_number) {
    (void)signal_number;
    told_to_end = 1;
}

static void on_usr1(int signal_number) {
    (void)signal_number;
    times_asked = times_asked + 1;
}

int is_told_to_end(void) { return told_to_end; }

int asked_to_go_on(void) { return times_asked; }

void sleep_ns(uint64_t nanoseconds) {
    struct timespec rest = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    nanosleep(&rest, NULL);
}

const char *text(const struct words *words, const char *key, const char *otherwise) {
    size_t length = strlen(key);
    for (int k = 0; k < words->count; k++)
        if (strncmp(words->values[k], key, length) == 0 && words->values[k][length] == '=')
            return words->values[k] + length + 1;
    return otherwise;
}

long number(const struct words *words, const char *key, long otherwise) {
    const char *value = text(words, key, NULL);
    return value ? strtol(value, NULL, 10) : otherwise;
}

void say(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
    line[length++] = '\n';
    if (write(1, line, (size_t)length) < 0) _exit(3);
}

static void refuse(const struct ringside_error *error) {
    char message[768];
    ringside_error_message(error, message, sizeof message);
    say("refused %d %s", error->pid, message);
    exit(1);
}

ringside_producer *try_to_attach(const struct words *words, struct ringside_error *error) {
    struct ringside_options options = {
        NULL, (uint32_t)number(words, "capacity", 0), (uint32_t)number(words, "metrics", 0),
        number(words, "fresh", 0) ? RINGSIDE_FRESH : RINGSIDE_RESUME, 0, (uint32_t)number(words, "guard", 0),
        (uint32_t)number(words, "ceiling", 0), (uint32_t)number(words, "lock", 0), NULL};
    ringside_producer *producer;
    if (ringside_attach(words->ring, &options, &producer, error) != RINGSIDE_OK) return NULL;
    const char *fault = text(words, "fault", NULL);
    if (fault) setenv("RINGSIDE_FAULT", fault, 1);
    const char *stops = text(words, "stops", NULL);
    if (stops) setenv("RINGSIDE_STOPS", stops, 1);
    return producer;
}

ringside_producer *attach(const struct words *words) {
    struct ringside_error error;
    ringside_producer *producer = try_to_attach(words, &error);
    if (!producer) refuse(&error);
    return producer;
}

uint32_t metric(ringside_producer *producer, const char *name, int kind) {
    struct ringside_definition definition = {
        name, "A metric of a test's bot.", NULL, 0, (uint8_t)kind,
        kind == RINGSIDE_KIND_COUNTER ? RINGSIDE_NUMBER_U64 : RINGSIDE_NUMBER_F64, RINGSIDE_UNIT_NONE,
        RINGSIDE_ENCODING_NUMBER, 0};
    struct ringside_error error;
    uint32_t id;
    if (ringside_register(producer, &definition, &id, &error) != RINGSIDE_OK) refuse(&error);
    return id;
}

void write_pattern(ringside_producer *producer, uint32_t values) {
    uint64_t index = producer->next;
    ringside_value_at(producer, values, (double)(index % 1000003), ringside_now(producer),
                      index * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0x5bd1e9955bd1e995));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(const struct words *);
    } verbs[] = {{"write", write_verb}, {"register", register_verb}, {"redeploy", redeploy_verb}, {"churn", churn_verb},
                 {"race", race_verb}, {"fork", fork_verb}, {"forks", forks_verb}};
    struct words words = {argc > 2 ? argv[2] : "", argc - 3, argv + 3};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_term;
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_usr1;
    sigaction(SIGUSR1, &action, NULL);
    alarm(120);
    for (size_t k = 0; argc > 2 && k < sizeof verbs / sizeof *verbs; k++)
        if (strcmp(argv[1], verbs[k].name) == 0) return verbs[k].run(&words);
    say("usage: bot VERB RING KEY=VALUE...");
    return 2;
}
