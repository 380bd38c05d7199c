// boost::lockfree::spsc_queue. Its capacity is fixed at compile time, which its documentation names as the faster way.
#include <boost/lockfree/spsc_queue.hpp>
#include <memory>

#include "queue.h"

int main(int count, char **words) {
    using Queue = boost::lockfree::spsc_queue<Record, boost::lockfree::capacity<capacity>>;
    auto queue = std::make_unique<Queue>();
    uint64_t sum = 0;
    return serve_queue(
        "push", peer::Options(count, words), [&](const Record &record) { return queue->push(record); },
        [&] { return queue->consume_all([&](const Record &record) { sum += record.value; }); });
}
