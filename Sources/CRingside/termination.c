/* A bot that handles no signals and is ended by one: its rings are marked as closed before it dies. */
#include "private.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Makes only calls that signal-safety(7) allows. The default action follows once the handler has returned and its signal is
 * unblocked. */
static void close_and_die(int number) {
    const int before = errno;
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    ringside_mark_all_closed();
    sigaction(number, &standard, NULL);
    raise(number);
    errno = before;
}

int ringside_close_on_termination(void) {
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    int installed = 0;
    struct sigaction before, closing;
    memset(&closing, 0, sizeof closing);
    closing.sa_handler = close_and_die;
    closing.sa_flags = SA_ONSTACK;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
        if (sigaction(signals[k], NULL, &before) != 0) continue;
        if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == close_and_die) installed++;
        if ((before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL) continue;
        if (sigaction(signals[k], &closing, NULL) == 0) installed++;
    }
    return installed;
}
