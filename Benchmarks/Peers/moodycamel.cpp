// moodycamel::ReaderWriterQueue. Its memory is reserved up front, and try_enqueue never allocates.
#if __has_include(<readerwriterqueue/readerwriterqueue.h>)
#include <readerwriterqueue/readerwriterqueue.h>
#else
#include <readerwriterqueue.h>
#endif

#include "queue.h"

int main(int count, char **words) {
    moodycamel::ReaderWriterQueue<Record> queue(capacity);
    uint64_t sum = 0;
    Record taken;
    return serve_queue(
        "push", peer::Options(count, words), [&](const Record &record) { return queue.try_enqueue(record); },
        [&] {
            uint64_t count = 0;
            for (; queue.try_dequeue(taken); count++) sum += taken.value;
            return count;
        });
}
