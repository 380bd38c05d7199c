import Rules
import Series
import Testing

@Suite("Events whose clock was ahead") struct EventClockTests {
    @Test("are in every window now and leave each in its time", arguments: [1, 60, 3600, 365 * 86_400] as [Int64])
    func future(by seconds: Int64) throws {
        let now: Int64 = 1_700_000_000
        var buckets = EventBuckets()
        buckets.add(EventCounts(good: 0, bad: 6000), nowSeconds: now + seconds)
        var kept = try #require(EventBuckets(levels: buckets.levels))
        let windows = [("10s", 10), ("5m", 300), ("1h", 3600), ("30d", 30 * 86_400)] as [(String, Int64)]
        for (name, length) in windows {
            let window = try #require(ObjectiveWindow(name: name, lengthSeconds: length))
            kept.add(EventCounts(good: 1, bad: 0), nowSeconds: now)
            #expect(kept.sum(over: window, nowSeconds: now).bad == 6000, "\(name)")
            // Buckets of an hour leave as a whole.
            var later = kept
            let end = now + length + 3600
            later.add(EventCounts(good: 1, bad: 0), nowSeconds: end)
            #expect(later.sum(over: window, nowSeconds: end).bad == 0, "\(name)")
            #expect(later.sum(over: window, nowSeconds: end).good == 1, "\(name)")
        }
    }

    @Test("whatever numbers the buckets have, they ascend and their sum is what was counted")
    func ascending() {
        var buckets = EventBuckets()
        var total: UInt64 = 0
        for time in [100, 5000, 300, 4999, 5000, 200_000, 1, 200_001] as [Int64] {
            buckets.add(EventCounts(good: 1, bad: 1), nowSeconds: 1_700_000_000 + time)
            total += 1
            #expect(EventBuckets(levels: buckets.levels) == buckets)
            #expect(buckets.sum(over: .month, nowSeconds: 1_700_000_000 + time) == EventCounts(good: total, bad: total))
        }
    }
}
