import Rules
import Series
import TestSupport
import Testing

/// An objective that a test moves through time.
private struct Course {
    var tracker: ObjectiveTracker
    var now: Int64
    var total = EventCounts()

    init(
        target: Double = 0.99, minimum: UInt64 = 10, wait: Int64 = 0, calm: Int64 = 0, coverage: Double = 0,
        now: Int64 = 1_700_000_000
    ) {
        let rule = ThresholdRule(instrument: "x_seconds", labels: [], threshold: 0.005)
        tracker = ObjectiveTracker(
            ObjectiveDefinition(
                name: "x", measure: .threshold(rule), target: target, minimumEvents: minimum, forSeconds: wait,
                resolveSeconds: calm, coverage: coverage),
            bot: "alpha")
        self.now = now
    }

    mutating func add(_ good: UInt64, _ bad: UInt64) {
        total = total &+ EventCounts(good: good, bad: bad)
        tracker.note(total: total, nowSeconds: now)
    }

    /// Adds the same events in every minute.
    mutating func run(minutes: Int64, good: UInt64, bad: UInt64) {
        for _ in 0..<minutes {
            now += 60
            add(good, bad)
        }
    }

    mutating func changes() -> [ObjectiveChange] {
        tracker.takeChanges(nowSeconds: now, unixNanoseconds: now * 1_000_000_000)
    }

    /// Continues as after a restart of the collector.
    mutating func restart(after seconds: Int64) {
        let kept = tracker.checkpointState
        tracker = ObjectiveTracker(tracker.definition, bot: "alpha")
        now += seconds
        tracker.restore(kept, nowSeconds: now)
        total = EventCounts()
    }

    var snapshot: ObjectiveSnapshot { tracker.snapshot(nowSeconds: now) }

    func burn(_ long: String) -> ObjectiveSnapshot.Burn? { snapshot.burns.first { $0.longWindow == long } }
}

@Suite struct ObjectiveTests {
    @Test("without enough events there is no data: no compliance, no budget, no burn rate, no violation")
    func quiet() {
        var course = Course()
        #expect(course.snapshot.state == .noData)
        course.add(0, 9)
        let snapshot = course.snapshot
        #expect(snapshot.state == .noData && snapshot.budgetRemaining == nil)
        #expect(snapshot.windows.allSatisfy { $0.compliance == nil })
        #expect(snapshot.burns.allSatisfy { $0.longRate == nil && $0.shortRate == nil && $0.isBurning == nil })
        #expect(snapshot.counts == EventCounts(good: 0, bad: 9))
        #expect(course.changes().isEmpty)
    }

    @Test(
        "one event beyond the target's share violates, and is seen at once; a minute without it mends the shortest window"
    )
    func violation() {
        var course = Course()
        course.add(99, 1)
        #expect(course.snapshot.state == .met)
        #expect(course.changes() == [.state(.met)])
        course.add(0, 1)
        let violated = course.snapshot
        #expect(violated.state == .violated)
        #expect(violated.windows.map(\.name) == ["1m", "1h", "30d"])
        #expect(violated.windows.allSatisfy { $0.compliance == 1 - 2.0 / 101 })
        #expect(course.changes().contains(.state(.violated)))
        course.now += 61
        course.add(100, 0)
        #expect(course.snapshot.state == .met)
        #expect(course.snapshot.windows[0].compliance == 1)
        #expect(course.snapshot.windows[1].counts == EventCounts(good: 199, bad: 2))
        #expect(course.changes().contains(.state(.met)))
    }

    @Test("the shortest window that was watched for long enough decides, not the shortest one with a compliance")
    func deciding() {
        var course = Course(coverage: 0.5)
        #expect(course.snapshot.decidingWindow == nil)
        course.run(minutes: 40, good: 99, bad: 1)
        #expect(course.snapshot.decidingWindow == "1m")
        // The collector was away for 50 s, and since then everything is bad. The minute is hardly watched.
        course.restart(after: 50)
        course.add(0, 0)
        course.now += 5
        course.add(0, 20)
        let snapshot = course.snapshot
        #expect(snapshot.windows[0].compliance != nil && snapshot.windows[0].watched < 0.5)
        #expect(snapshot.decidingWindow == "1h" && snapshot.state == .violated)
        course.now += 55
        course.add(10, 0)
        #expect(course.snapshot.decidingWindow == "1m")
    }

    @Test("the budget is that of 30 days, spent by bad events and overspent below zero")
    func budget() throws {
        var course = Course(target: 0.99)
        course.run(minutes: 10, good: 995, bad: 5)
        #expect(abs(try #require(course.snapshot.budgetRemaining) - 0.5) < 1e-9)
        course.run(minutes: 10, good: 900, bad: 100)
        #expect(try #require(course.snapshot.budgetRemaining) < 0)
    }

    @Test("a burn counts once both windows are at the limit, and ends with the short one")
    func burning() throws {
        var course = Course(target: 0.99)
        course.run(minutes: 360, good: 1000, bad: 0)
        #expect(course.burn("1h")?.isBurning == false)
        // A fifth of a minute's events is bad: 20 times the budget's pace. The short window shows it at once, the hour
        // only later.
        course.run(minutes: 5, good: 800, bad: 200)
        #expect(course.burn("1h")?.isBurning == false)
        #expect(abs(try #require(course.burn("1h")?.shortRate) - 200 / 6.0) < 20)
        course.run(minutes: 45, good: 800, bad: 200)
        #expect(course.burn("1h")?.isBurning == true)
        #expect(
            course.changes().contains {
                if case .burn(_, isBurning: true) = $0 { true } else { false }
            })
        course.run(minutes: 6, good: 1000, bad: 0)
        #expect(course.burn("1h")?.isBurning == false)
        #expect(course.burn("6h")?.isBurning == false)
        #expect(try #require(course.burn("3d")?.longRate) > 1)
    }

    @Test(
        "a violation and a burn are told once they have held for the wait, and end once they have ceased for the calm")
    func waits() {
        var course = Course(wait: 20, calm: 30)
        func changes(_ seconds: Int64, _ good: UInt64, _ bad: UInt64) -> [String] {
            (0..<seconds).flatMap { _ in
                course.now += 1
                course.add(good, bad)
                return course.changes().map { change in
                    switch change {
                    case .state(let state): state.rawValue
                    case .burn(let burn, let isBurning): "\(burn.longWindow) \(isBurning)"
                    }
                }
            }
        }
        #expect(changes(5, 0, 0).isEmpty)
        #expect(changes(60, 100, 0) == ["met"])
        #expect(changes(20, 0, 10_000).isEmpty, "it has not held for long enough")
        #expect(Set(changes(1, 0, 10_000)) == ["violated", "1h true", "6h true", "3d true"])
        #expect(course.snapshot.state == .violated && course.tracker.firing(nowSeconds: course.now).count == 4)
        let since = course.tracker.firing(nowSeconds: course.now).map(\.sinceUnixNanoseconds)
        // A hundred million good events a second compensate the bad ones. The end waits half a minute, over a restart.
        #expect(changes(20, 100_000_000, 0).isEmpty && course.snapshot.state == .met)
        course.restart(after: 3)
        #expect(course.tracker.firing(nowSeconds: course.now).map(\.sinceUnixNanoseconds) == since)
        #expect(changes(7, 100_000_000, 0).isEmpty)
        #expect(Set(changes(1, 100_000_000, 0)) == ["met", "1h false", "6h false", "3d false"])
        // A wait for the beginning goes on over a restart too.
        #expect(changes(10, 0, 10_000_000_000).isEmpty)
        course.restart(after: 3)
        #expect(Set(changes(8, 0, 10_000_000_000)) == ["violated", "1h true", "6h true", "3d true"])
    }

    @Test("a window watched for less than its share is not judged, and a coverage of 0 requires nothing")
    func coverage() throws {
        for (coverage, seconds, isJudged) in [
            (0, 1, true), (0.5, 20, false), (0.5, 31, true), (1, 59, false), (1, 60, true),
        ] as [(Double, Int64, Bool)] {
            var course = Course(coverage: coverage)
            course.add(0, 0)
            for _ in 0..<seconds {
                course.now += 1
                course.add(50, 50)
            }
            #expect((course.snapshot.state == .violated) == isJudged, "\(coverage) after \(seconds) s")
            #expect(course.snapshot.windows[0].compliance == 0.5, "what was counted is shown")
            let watched = Double(min(60, seconds)) / 60
            #expect(abs(course.snapshot.windows[0].watched - watched) < 1e-9)
        }
        var course = Course(coverage: 0.5)
        course.run(minutes: 29, good: 100, bad: 100)
        #expect(course.burn("1h")?.isBurning == nil && course.burn("1h")?.longRate != nil)
        course.run(minutes: 2, good: 100, bad: 100)
        #expect(course.burn("1h")?.isBurning == true && course.burn("3d")?.isBurning == nil)
        course.run(minutes: 36 * 60, good: 100, bad: 100)
        #expect(course.burn("3d")?.isBurning == true)
    }

    @Test("time that no collector watched counts for nothing, but for a gap that the ring bridges")
    func gaps() {
        for (gap, share) in [(5, 1), (30, 0.5)] as [(Int64, Double)] {
            var course = Course(coverage: 0.5)
            course.add(0, 0)
            for _ in 0..<100 {
                course.now += 1
                course.add(1, 0)
            }
            course.restart(after: gap)
            for _ in 0...(30) {
                course.add(1, 0)
                course.now += 1
            }
            course.add(1, 0)
            #expect(abs(course.snapshot.windows[0].watched - share) < 0.03, "a gap of \(gap) s")
        }
        // The state of an older collector has no watch, but counts show that it watched.
        var old = Course(coverage: 0.5)
        old.run(minutes: 240, good: 10, bad: 10)
        var kept = old.tracker.checkpointState
        kept.watched = nil
        var next = ObjectiveTracker(old.tracker.definition, bot: "alpha")
        next.restore(kept, nowSeconds: old.now)
        #expect(next.snapshot(nowSeconds: old.now).burns[0].isBurning == true)
        #expect(next.snapshot(nowSeconds: old.now).burns[2].isBurning == nil)
    }

    @Test(
        "a ready-made objective is notified as begun at most twice in a quarter of an hour, whatever it sees",
        .enabled(if: !isShortRun))
    func flapping() {
        var random = SeededGenerator(seed: 5)
        for definition in ObjectiveDefinition.standard.ordinarily(oneOf: 3) {
            var course = Course()
            course.tracker = ObjectiveTracker(definition, bot: "alpha")
            var begins: [String: [Int64]] = [:]
            var (left, isBad) = (0, false)
            for _ in 0..<14_400 {
                course.now += 1
                if left == 0 { (left, isBad) = (Int.random(in: 100...1500, using: &random), !isBad) }
                left -= 1
                course.add(100, isBad ? UInt64.random(in: 10...60, using: &random) : 0)
                for change in course.changes() {
                    switch change {
                    case .state(.violated): begins["", default: []].append(course.now)
                    case .burn(let burn, isBurning: true): begins[burn.longWindow, default: []].append(course.now)
                    default: break
                    }
                }
            }
            #expect(begins["", default: []].count > 2, "the series is no test of \(definition.name)")
            for times in begins.values {
                #expect(zip(times, times.dropFirst(2)).allSatisfy { $1 - $0 > 900 }, "\(definition.name): \(times)")
            }
        }
    }

    @Test("every window holds its whole buckets and the one being filled, and nothing older")
    func windows() {
        var buckets = EventBuckets()
        var model: [(time: Int64, counts: EventCounts)] = []
        var now: Int64 = 1_700_000_000
        var state: UInt64 = 7
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        let spans: [(String, Int64, Int64)] = [
            ("10s", 10, 1), ("5m", 300, 1), ("10m", 600, 60), ("6h", 21_600, 60), ("7h", 25_200, 3600),
            ("30d", 2_592_000, 3600),
        ]
        for step in 0..<4_000 {
            now += Int64([0, 1, 7, 100, 5_000][Int(random(5))])
            let counts = EventCounts(good: random(3), bad: random(2))
            buckets.add(counts, nowSeconds: now)
            model.append((now, counts))
            guard step % 50 == 0 else { continue }
            for (name, length, width) in spans {
                let window = ObjectiveWindow(name: name, lengthSeconds: length)!
                let first = (now - length) / width * width
                let expected = model.reduce(EventCounts()) { $1.time >= first ? $0 &+ $1.counts : $0 }
                #expect(buckets.sum(over: window, nowSeconds: now) == expected, "\(name) at step \(step)")
            }
        }
    }

    @Test("a window must be made of whole buckets, 30 days at most")
    func lengths() {
        for (seconds, isGood) in [
            (1, true), (300, true), (301, false), (360, true), (21_600, true), (21_660, false), (25_200, true),
            (2_592_000, true), (2_595_600, false), (0, false),
        ] as [(Int64, Bool)] {
            #expect((ObjectiveWindow(name: "x", lengthSeconds: seconds) != nil) == isGood, "\(seconds)")
        }
    }
}
