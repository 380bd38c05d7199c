internal import Configuration
internal import Exposition

/// One request to send: its final body, and its metadata.
package struct DeliveryEntry: Equatable, Sendable {
    package var body: [UInt8]
    package var contentType: String
    /// Headers in addition to the content type and the destination's headers. They hold no secrets, since they are
    /// stored on disk.
    package var headers: [Header]
    /// Replaces a queued entry with the same key; nil replaces none.
    package var key: String?

    package struct Header: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(body: [UInt8], contentType: String, headers: [Header] = [], key: String? = nil) {
        self.body = body
        self.contentType = contentType
        self.headers = headers
        self.key = key
    }

    /// Returns the entry with its body compressed, and a header that says so. Returns it unchanged if there is no
    /// memory to compress it.
    package func gzipped() -> DeliveryEntry {
        guard let compressed = Gzip.compress(body) else { return self }
        var entry = self
        entry.body = compressed
        entry.headers.append(Header("Content-Encoding", "gzip"))
        return entry
    }
}

/// An entry in the queue.
struct QueuedEntry: Equatable {
    var id: Int64
    /// On the queue's clock, see ``QueueClock``.
    var createdNanoseconds: Int64
    /// Attempts so far, all of which failed.
    var attempts: Int64
    /// Earliest time of the next attempt, on the queue's clock.
    var nextNanoseconds: Int64
    var entry: DeliveryEntry
}
