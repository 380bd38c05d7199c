import Rules
import Series
import Testing

/// One objective, moved through time by hand.
private struct Course {
    var tracker: ObjectiveTracker
    var now: Int64
    var total = EventCounts()

    init(target: Double = 0.99, minimum: UInt64 = 10, now: Int64 = 1_700_000_000) {
        let rule = ThresholdRule(instrument: "x_seconds", labels: [], threshold: 0.005)
        tracker = ObjectiveTracker(
            ObjectiveDefinition(name: "x", measure: .threshold(rule), target: target, minimumEvents: minimum),
            bot: "alpha")
        self.now = now
    }

    mutating func add(_ good: UInt64, _ bad: UInt64) {
        total = total &+ EventCounts(good: good, bad: bad)
        tracker.note(total: total, nowSeconds: now)
    }

    /// The same events in every minute.
    mutating func run(minutes: Int64, good: UInt64, bad: UInt64) {
        for _ in 0..<minutes {
            now += 60
            add(good, bad)
        }
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
        #expect(course.tracker.takeChanges(nowSeconds: course.now).isEmpty)
    }

    @Test(
        "one event beyond the target's share violates, and is seen at once; a minute without it mends the shortest window"
    )
    func violation() {
        var course = Course()
        course.add(99, 1)
        #expect(course.snapshot.state == .met)
        #expect(course.tracker.takeChanges(nowSeconds: course.now) == [.state(.met)])
        course.add(0, 1)
        let violated = course.snapshot
        #expect(violated.state == .violated)
        #expect(violated.windows.map(\.name) == ["1m", "1h", "30d"])
        #expect(violated.windows.allSatisfy { $0.compliance == 1 - 2.0 / 101 })
        #expect(course.tracker.takeChanges(nowSeconds: course.now).contains(.state(.violated)))
        course.now += 61
        course.add(100, 0)
        #expect(course.snapshot.state == .met)
        #expect(course.snapshot.windows[0].compliance == 1)
        #expect(course.snapshot.windows[1].counts == EventCounts(good: 199, bad: 2))
        #expect(course.tracker.takeChanges(nowSeconds: course.now).contains(.state(.met)))
    }

    @Test("the budget is that of 30 days, spent by what is bad and overspent below zero")
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
        // A fifth of a minute's events bad: 20 times the budget's pace in the short window at once, in the hour only later.
        course.run(minutes: 5, good: 800, bad: 200)
        #expect(course.burn("1h")?.isBurning == false)
        #expect(abs(try #require(course.burn("1h")?.shortRate) - 200 / 6.0) < 20)
        course.run(minutes: 45, good: 800, bad: 200)
        #expect(course.burn("1h")?.isBurning == true)
        #expect(
            course.tracker.takeChanges(nowSeconds: course.now).contains {
                if case .burn(let burn) = $0 { burn.isBurning == true } else { false }
            })
        course.run(minutes: 6, good: 1000, bad: 0)
        #expect(course.burn("1h")?.isBurning == false)
        #expect(course.burn("6h")?.isBurning == false)
        #expect(try #require(course.burn("3d")?.longRate) > 1)
    }

    @Test("every window holds its whole buckets and the one that is filling, and nothing older")
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
