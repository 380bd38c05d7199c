internal import Platform
internal import Synchronization

/// A bucket of tokens for each address: one is taken a request, and they come back at a steady rate. May be used from any
/// thread.
final class RequestRates: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: MonotonicTime
    }

    private let buckets = Mutex<[HTTPClientAddress: Bucket]>([:])
    /// Addresses that are known at one time: who comes beyond finds the full ones forgotten.
    private static let limit = 4096

    /// Takes a token of an address.
    ///
    /// - Returns: false where it has none left.
    func take(_ address: HTTPClientAddress, perSecond rate: Double, burst: Double, now: MonotonicTime) -> Bool {
        buckets.withLock { buckets in
            if buckets.count >= Self.limit, buckets[address] == nil {
                buckets = buckets.filter { Self.tokens($0.value, rate, burst, now) < burst }
                if buckets.count >= Self.limit { return false }
            }
            let tokens = buckets[address].map { Self.tokens($0, rate, burst, now) } ?? burst
            buckets[address] = Bucket(tokens: tokens >= 1 ? tokens - 1 : tokens, at: now)
            return tokens >= 1
        }
    }

    /// Whether an address has a token left, which it keeps.
    func hasToken(_ address: HTTPClientAddress, perSecond rate: Double, burst: Double, now: MonotonicTime) -> Bool {
        buckets.withLock { buckets in buckets[address].map { Self.tokens($0, rate, burst, now) } ?? burst } >= 1
    }

    private static func tokens(_ bucket: Bucket, _ rate: Double, _ burst: Double, _ now: MonotonicTime) -> Double {
        min(burst, bucket.tokens + Double(now - bucket.at) * 1e-9 * rate)
    }
}
