// ZeroMQ: PUSH over ipc with ZMQ_DONTWAIT, to a process that pulls as fast as it can. The high-water marks are those of
// a ring's capacity. The library's input/output thread runs where the system puts it, as by default.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <csignal>

#include "queue.h"

static void set(void *socket, int option, int value) { zmq_setsockopt(socket, option, &value, sizeof value); }

static void pull(const char *address, const peer::Options &options) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    peer::pin(options.partners);
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PULL);
    set(socket, ZMQ_RCVHWM, capacity);
    if (zmq_bind(socket, address) != 0) _exit(1);
    Record record;
    while (zmq_recv(socket, &record, sizeof record, 0) >= 0) {}
    _exit(0);
}

int main(int count, char **words) {
    peer::Options options(count, words);
    char folder[] = "/tmp/ringside-bench-zeromq-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    std::string path = std::string(folder) + "/socket", address = "ipc://" + path;
    pid_t puller = fork();
    if (puller == 0) pull(address.c_str(), options);

    void *context = zmq_ctx_new();  // its thread starts with the first socket, before this one is bound to a processor
    void *socket = zmq_socket(context, ZMQ_PUSH);
    set(socket, ZMQ_SNDHWM, capacity);
    set(socket, ZMQ_LINGER, 0);
    set(socket, ZMQ_IMMEDIATE, 1);
    zmq_connect(socket, address.c_str());
    peer::pin(options.ours);
    Record record{0, 1, 2, 3};
    while (zmq_send(socket, &record, sizeof record, ZMQ_DONTWAIT) < 0) usleep(1000);  // until the puller is there
    uint64_t refused = 0;
    auto call = [&] { refused += zmq_send(socket, &record, sizeof record, ZMQ_DONTWAIT) < 0; };
    int status = peer::serve([&] { return peer::measure("push", call, options, refused); });
    kill(puller, SIGKILL);
    waitpid(puller, nullptr, 0);
    unlink(path.c_str());
    rmdir(folder);
    return status;
}
