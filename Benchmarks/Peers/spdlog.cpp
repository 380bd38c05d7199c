// spdlog's asynchronous logger. Its thread formats four numbers and writes them to /dev/null. A full queue drops its
// oldest.
#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include "peer.h"

int main(int count, char **words) {
    peer::Options options(count, words);
    peer::pin(options.partners);  // its thread stays where it is made
    spdlog::init_thread_pool(131072, 1);
    auto logger = spdlog::create_async_nb<spdlog::sinks::basic_file_sink_mt>("bench", "/dev/null");
    peer::pin(options.ours);
    uint64_t refused = 0, index = 0;
    auto call = [&] { logger->info("{} {} {} {}", 0, 1, ++index, 0); };
    int status = peer::serve([&] { return peer::measure("log", call, options, refused); });
    spdlog::shutdown();
    return status;
}
