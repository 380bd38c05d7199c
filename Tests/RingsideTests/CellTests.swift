import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct CellTests {
    private let directory = TemporaryRingDirectory()

    @Test("counters are exact, write no record, and wrap past 2^64")
    func counters() throws {
        let telemetry = try directory.attach()
        let counter = try telemetry.counter("hits_total", help: "")
        var random = SeededGenerator(seed: 1)
        var expected: UInt64 = 0
        for _ in 0..<10_000 {
            let amount = UInt64.random(in: 0..<1 << 40, using: &random)
            counter.increment(by: amount)
            expected += amount
        }
        counter.increment()
        let segment = try directory.segment()
        #expect(try segment.cell(of: "hits_total") == (expected + 1, 0))
        #expect(segment.position == 0)
        counter.increment(by: .max - expected)
        #expect(try segment.cell(of: "hits_total").first == 0)
    }

    @Test("an up-down counter keeps its value and the highest of its life")
    func upDown() throws {
        let telemetry = try directory.attach()
        let open = try telemetry.upDownCounter("open_orders", help: "")
        let segment = try directory.segment()
        #expect(try segment.cell(of: "open_orders") == (0, 0))
        var random = SeededGenerator(seed: 2)
        var value: Int64 = 0
        var highest: Int64 = 0
        for _ in 0..<10_000 {
            let amount = Int64.random(in: -1000...1000, using: &random)
            open.add(amount)
            value += amount
            highest = max(highest, value)
        }
        let cell = try segment.cell(of: "open_orders")
        #expect(Int64(bitPattern: cell.first) == value && Int64(bitPattern: cell.second) == highest)
    }

    @Test("a gauge is unset until it is set, keeps its highest value, and takes no NaN")
    func gauge() throws {
        let telemetry = try directory.attach()
        let gauge = try telemetry.gauge("exposure_usd", unit: .usd, help: "")
        let segment = try directory.segment()
        func cell() throws -> (Double, Double) {
            let words = try segment.cell(of: "exposure_usd")
            return (Double(bitPattern: words.first), Double(bitPattern: words.second))
        }
        #expect(try segment.cell(of: "exposure_usd") == (unset, unset))
        gauge.set(.nan)
        gauge.set(Double(bitPattern: unset))
        #expect(try segment.cell(of: "exposure_usd") == (unset, unset))
        gauge.set(-5)
        #expect(try cell() == (-5, -5))
        gauge.set(-7)
        #expect(try cell() == (-7, -5))
        gauge.set(3.5)
        gauge.set(-.infinity)
        #expect(try cell() == (-.infinity, 3.5))
        gauge.set(.nan)
        #expect(try cell() == (-.infinity, 3.5))
        gauge.set(.infinity)
        #expect(try cell() == (.infinity, .infinity))
    }

    @Test("a resumed life keeps counters and calls, and forgets gauges and up-downs, registered again or not")
    func resumed() throws {
        let first = try directory.attach()
        for suffix in ["a", "b"] {
            try first.counter("\(suffix)_total", help: "").increment(by: 5)
            try first.upDownCounter("\(suffix)_open", help: "").add(6)
            try first.gauge("\(suffix)_level", help: "").set(7)
            try first.histogram("\(suffix)_value", help: "").record(8)
        }
        first.close()
        let second = try directory.attach()
        try second.counter("a_total", help: "").increment()
        _ = try second.upDownCounter("a_open", help: "")
        _ = try second.gauge("a_level", help: "")
        try second.histogram("a_value", help: "").record(9)
        let segment = try directory.segment()
        for (name, expected) in [
            ("a_total", (6, 0)), ("b_total", (5, 0)), ("a_open", (0, 0)), ("b_open", (0, 0)),
            ("a_level", (unset, unset)), ("b_level", (unset, unset)), ("a_value", (2, 0)), ("b_value", (1, 0)),
        ] as [(String, (UInt64, UInt64))] {
            #expect(try segment.cell(of: name) == expected, "\(name)")
            let life = segment.metricLife(try segment.index(of: name))
            #expect(life == (name.hasPrefix("a") ? 2 : 1), "\(name)")
        }
        second.close()
    }

    @Test("a histogram counts its calls exactly, lapped records included")
    func calls() throws {
        let telemetry = try directory.attach(records: 8)
        let values = try telemetry.histogram("value", help: "")
        let durations = try telemetry.durationHistogram("wait_seconds", help: "")
        for index in 0..<1000 {
            values.record(Double(index))
            if index % 4 == 0 { durations.record(nanoseconds: 1) }
        }
        let segment = try directory.segment()
        #expect(try segment.cell(of: "value") == (1000, 0))
        #expect(try segment.cell(of: "wait_seconds") == (250, 0))
        #expect(segment.position == 1250)
    }
}
