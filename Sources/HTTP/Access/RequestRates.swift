internal import Platform
internal import Synchronization

/// A token bucket for each client. A request takes a token, and tokens come back at a steady rate. May be used from any
/// thread.
final class RequestRates<Client: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: MonotonicTime
    }

    private let buckets = Mutex<[Client: Bucket]>([:])
    /// The most clients that are remembered.
    private let limit: Int

    init(limit: Int = 4096) { self.limit = limit }

    /// Takes a token from a client's bucket.
    ///
    /// - Parameter reserve: Tokens that must remain.
    /// - Returns: false if there is no token to take.
    func take(
        _ client: Client, perSecond rate: Double, burst: Double, reserve: Double = 0, now: MonotonicTime
    ) -> Bool {
        buckets.withLock { buckets in
            if buckets.count >= limit, buckets[client] == nil {
                Self.forgetFullest(&buckets) { Self.tokens($0, rate, burst, now) }
            }
            let tokens = buckets[client].map { Self.tokens($0, rate, burst, now) } ?? burst
            let isTaken = tokens - reserve >= 1
            buckets[client] = Bucket(tokens: isTaken ? tokens - 1 : tokens, at: now)
            return isTaken
        }
    }

    /// Puts a taken token back.
    func giveBack(_ client: Client) {
        buckets.withLock { $0[client]?.tokens += 1 }
    }

    /// Removes the half of the clients that have the fullest buckets. A stranger with many addresses must not lock new
    /// clients out, and a client that used up its tokens must not get new ones by being removed.
    private static func forgetFullest(_ buckets: inout [Client: Bucket], _ tokens: (Bucket) -> Double) {
        let levels = buckets.map { (client: $0.key, tokens: tokens($0.value)) }.sorted { $0.tokens > $1.tokens }
        for level in levels.prefix(max(1, levels.count / 2)) { buckets[level.client] = nil }
    }

    private static func tokens(_ bucket: Bucket, _ rate: Double, _ burst: Double, _ now: MonotonicTime) -> Double {
        min(burst, bucket.tokens + Double(now - bucket.at) * 1e-9 * rate)
    }
}
