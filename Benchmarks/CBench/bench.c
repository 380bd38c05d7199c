#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

/* A process keeps the processors that it was started with, whatever its threads were bound to since. */
static cpu_set_t allowed;
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask(void) {
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_ZERO(&allowed);
}

int bench_processors(int *processors, int limit) {
    int count = 0;
    pthread_once(&asked, ask);
    for (int processor = 0; processor < CPU_SETSIZE && count < limit; processor++)
        if (CPU_ISSET(processor, &allowed)) processors[count++] = processor;
    return count;
}

int bench_pin(int processor) {
    cpu_set_t set;
    pthread_once(&asked, ask);
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/* The child inherits what its maker is bound to, so the maker is unbound meanwhile. */
static int spawn_unbound(char *const words[], posix_spawn_file_actions_t *actions, pid_t *pid) {
    cpu_set_t before;
    pthread_once(&asked, ask);
    int is_bound = pthread_getaffinity_np(pthread_self(), sizeof before, &before) == 0
        && pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0;
    int failed = posix_spawnp(pid, words[0], actions, NULL, words, environ);
    if (is_bound) pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    return failed;
}

int bench_spawn(char *const words[], const char *errors, struct bench_child *child) {
    int input[2], output[2];
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    if (pipe2(input, O_CLOEXEC) != 0) return errno;
    if (pipe2(output, O_CLOEXEC) != 0) {
        int failed = errno;
        close(input[0]);
        close(input[1]);
        return failed;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int failed = spawn_unbound(words, &actions, &pid);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    if (failed) {
        close(input[1]);
        close(output[0]);
        return failed;
    }
    child->pid = pid;
    child->input = input[1];
    child->output = output[0];
    return 0;
}

const char *bench_compiler(void) { return __VERSION__; }
