/* What the verbs of the test's bot share. It is built with fault points: RINGSIDE_FAULT in its environment, or `fault=` once it
 * is attached, ends it between two steps; `stops=` stops it there. */
#ifndef BOT_H
#define BOT_H

#include "ringside.h"

/* What is said of one verb: `RING KEY=VALUE...`. */
struct words {
    const char *ring;
    int count;
    char **values;
};

/* The value of KEY as a number or a text, else what is given. */
long number(const struct words *words, const char *key, long otherwise);
const char *text(const struct words *words, const char *key, const char *otherwise);

/* One line on standard output, at once. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Attaches as `capacity`, `metrics`, `fresh`, `guard`, `ceiling` and `lock` say; says `refused PID MESSAGE` and ends where it
 * cannot. After it, `fault` and `stops` are in force. */
ringside_producer *attach(const struct words *words);
/* As `attach`; NULL, with `error` filled, where it cannot. */
ringside_producer *try_to_attach(const struct words *words, struct ringside_error *error);

/* Registers a metric without labels; says `refused 0 MESSAGE` and ends where it cannot. */
uint32_t metric(ringside_producer *producer, const char *name, int kind);

/* Writes the next record of the pattern by which readers know a whole record: trace id and value follow from its index. */
void write_pattern(ringside_producer *producer, uint32_t values);

/* Whether SIGTERM came. */
int is_told_to_end(void);
/* How often SIGUSR1 came: the test asks for so many more lines `went on`. */
int asked_to_go_on(void);
/* Sleeps for so many nanoseconds, or until a signal. */
void sleep_ns(uint64_t nanoseconds);

int write_verb(const struct words *words);
int register_verb(const struct words *words);
int redeploy_verb(const struct words *words);
int churn_verb(const struct words *words);
int race_verb(const struct words *words);
int fork_verb(const struct words *words);
int forks_verb(const struct words *words);

#endif
