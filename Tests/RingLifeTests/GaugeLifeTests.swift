import Glibc
import Ringside
import Series
import TestSupport
import Testing

/// Gauges, up-down counters and families in a collector's snapshot.
@Suite struct GaugeLifeTests {
    private let directory = TemporaryRingDirectory()

    private func attach(mode: AttachOptions.Mode = .resume) throws -> Telemetry {
        let options = AttachOptions(
            directory: directory.path, capacityRecords: 1024, metricCapacity: 16, mode: mode)
        return try Telemetry.attach("alpha", options: options)
    }

    private func gauge(_ name: String, _ snapshot: Snapshot) throws -> GaugeSnapshot {
        guard case .gauge(let gauge) = try #require(snapshot.bot()?.reading(name)) else {
            throw CollectorHarness.Wrong(description: "\(name) is no gauge")
        }
        return gauge
    }

    @Test(
        "a gauge that records every change shows in its windows each spike and dip between two drains, the first included"
    )
    func everyChange() throws {
        let telemetry = try attach()
        let every = try telemetry.gauge("every", help: "Each change.", recording: .everyChange)
        let last = try telemetry.gauge("last", help: "The last value.")
        let collector = try CollectorHarness(directory)
        for value in [5.0, 900, -7, 5] {
            every.set(value)
            last.set(value)
        }
        try collector.turn()
        var snapshot = try collector.look()
        for window in try gauge("every", snapshot).windows {
            #expect(window.minimum == -7 && window.maximum == 900 && window.last == 5)
        }
        #expect(try gauge("last", snapshot).windows[0].minimum == 5)
        #expect(try gauge("every", snapshot).value == .real(5) && gauge("every", snapshot).highest == .real(900))

        // These values are below the highest of the life, so only the record shows them.
        snapshot = try collector.turn(until: "the first spike's end in the window of 1 s") {
            try gauge("every", $0).windows[0].maximum == 5
        }
        #expect(try gauge("every", snapshot).windows.last?.maximum == 900)
        for value in [120.0, 5] {
            every.set(value)
            last.set(value)
        }
        try collector.turn()
        snapshot = try collector.look()
        #expect(try gauge("every", snapshot).windows[0].maximum == 120)
        #expect(try gauge("last", snapshot).windows[0].maximum == 5)
        let account = try #require(snapshot.ring())
        #expect(account.drained == 6 && account.totalLost == 0)
        telemetry.close()
    }

    @Test("in a new life a gauge is unset until it is set, and an up-down counter begins at 0; counters go on")
    func newLife() throws {
        let collector = try CollectorHarness(directory)
        for mode in [.resume, .resume, .fresh] as [AttachOptions.Mode] {
            let telemetry = try attach(mode: mode)
            let level = try telemetry.gauge("level", help: "Level.", recording: .everyChange)
            let open = try telemetry.upDownCounter("open_orders", help: "Open.")
            let total = try telemetry.counter("orders_total", help: "Orders.")
            var snapshot = try collector.settle()
            #expect(snapshot.bot()?.isUp == true && snapshot.bot()?.reading("level") == nil)
            guard case .upDownCounter(let opened)? = snapshot.bot()?.reading("open_orders") else {
                Issue.record("there is no up-down counter")
                return
            }
            #expect(opened.value == .signed(0))
            let before = snapshot.counter("orders_total")
            level.set(-4)
            level.set(9)
            open.add(5)
            open.add(-2)
            total.increment(by: 10)
            snapshot = try collector.settle()
            let gauge = try gauge("level", snapshot)
            #expect(gauge.value == .real(9) && gauge.highest == .real(9) && gauge.windows.last?.minimum == -4)
            #expect(snapshot.counter("orders_total") == before + 10)
            guard case .upDownCounter(let now)? = snapshot.bot()?.reading("open_orders") else { return }
            #expect(now.value == .signed(3))
            // The gauge is set and never read. The next life's gauge must not show it.
            level.set(77)
            telemetry.close()
        }
        let snapshot = try collector.settle()
        #expect(snapshot.counter("orders_total") == 30 && snapshot.bot()?.reading("level") == nil)
    }

    @Test("a family beyond its limit is one series more, `other`, which holds what its values would have counted")
    func family() throws {
        let telemetry = try attach()
        let fills = try telemetry.counterFamily("fills_total", help: "Fills.", label: "symbol", limit: 3)
        let waits = try telemetry.durationHistogramFamily(
            "wait_seconds", help: "Waits.", labels: ["side": "buy"], label: "symbol", limit: 1)
        let collector = try CollectorHarness(directory)
        for symbol in ["A", "B", "C", "D", "E", "D", "A"] { fills[symbol].increment(by: 2) }
        for symbol in ["A", "B", "B"] { waits[symbol].record(nanoseconds: 1_000) }
        let snapshot = try collector.settle()
        var counted: [String: UInt64] = [:]
        var waited: [String: UInt64] = [:]
        for metric in try #require(snapshot.bot()).metrics {
            let symbol = metric.labels.first { $0.name == "symbol" }?.value ?? ""
            switch metric.reading {
            case .counter(let counter): if case .unsigned(let total) = counter.value { counted[symbol] = total }
            case .histogram(let histogram): waited[symbol] = histogram.total.count
            default: break
            }
        }
        #expect(counted == ["A": 4, "B": 2, "C": 2, "other": 6] && fills.overflowed == 3)
        #expect(waited == ["A": 1, "other": 2] && waits.overflowed == 2)
        telemetry.close()
    }

    @Test(
        "a family that its ring's table has no room for goes on in `other`, and the ring counts each refusal")
    func fullTable() throws {
        let telemetry = try attach()
        let fills = try telemetry.counterFamily("fills_total", help: "Fills.", label: "symbol", limit: 100)
        let empty = fills[""]  // A label needs a value.
        empty.increment()
        for number in 0..<40 { fills["S\(number)"].increment() }
        let collector = try CollectorHarness(directory)
        let snapshot = try collector.settle()
        let series = try #require(snapshot.bot()).metrics.filter { $0.name == "fills_total" }
        let total = series.reduce(into: 0 as UInt64) { sum, metric in
            if case .counter(let counter) = metric.reading, case .unsigned(let value) = counter.value { sum += value }
        }
        #expect(total == 41 && series.count == 16 && fills.overflowed == 1 + 25)
        #expect(try directory.segment().refusedMetrics == 26)
        telemetry.close()
    }
}
