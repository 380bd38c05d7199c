internal import Configuration
internal import Exposition

/// One request that is to be made: its body as it goes out, and what is said of it.
package struct DeliveryEntry: Equatable, Sendable {
    package var body: [UInt8]
    package var contentType: String
    /// Beside the content type and those of the destination; no secrets, since they are kept on disk.
    package var headers: [Header]
    /// An entry that waits under the same key is replaced by this one; nil replaces none.
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

    /// The entry with its body compressed, and said so; as it is where there is no memory to compress it.
    package func gzipped() -> DeliveryEntry {
        guard let compressed = Gzip.compress(body) else { return self }
        var entry = self
        entry.body = compressed
        entry.headers.append(Header("Content-Encoding", "gzip"))
        return entry
    }
}

/// An entry as it lies in the queue.
struct QueuedEntry: Equatable {
    var id: Int64
    /// On the queue's clock, see ``QueueClock``.
    var createdNanoseconds: Int64
    /// Made already, all of which failed.
    var attempts: Int64
    /// Before which it is not attempted again, on the queue's clock.
    var nextNanoseconds: Int64
    var entry: DeliveryEntry
}
