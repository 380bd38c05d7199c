// LTTng-UST: a tracepoint of four fields. lttng_ust.sh gives it a session with an overwriting channel and its consumer.
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include <unistd.h>

#include "peer.h"

int main(int count, char **words) {
    peer::Options options(count, words);
    for (int turn = 0; turn < 5000 && !lttng_ust_tracepoint_enabled(ringside_bench, record); turn++) usleep(1000);
    if (!lttng_ust_tracepoint_enabled(ringside_bench, record)) {
        std::fprintf(stderr, "the session daemon has not enabled the tracepoint within 5 s\n");
        return 1;
    }
    peer::pin(options.ours);
    uint64_t refused = 0, index = 0;
    auto call = [&] { lttng_ust_tracepoint(ringside_bench, record, 0, 1, ++index, 0); };
    for (int record = 0; record < 200000; record++) call();  // every sub-buffer touched
    return peer::serve([&] { return peer::measure("tracepoint", call, options, refused); });
}
