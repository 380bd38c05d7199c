import Series
import TestSupport
import Testing

@Suite struct UnitScaleTests {
    @Test(
        "a name has the unit that it ends in, before _total where it has that",
        arguments: [
            ("x_seconds", MetricUnit.seconds), ("x_us", .us), ("x_ms_total", .ms), ("x_total_usd", .usd),
            ("x_mib", .mib),
            ("x_percent", .percent), ("x_seconds_total", .seconds), ("seconds", nil), ("_seconds", .seconds),
            ("x", nil),
            ("x_total", nil), ("total", nil), ("", nil), ("x_", nil), ("seconds_total", nil), ("x_per_s", nil),
            ("x_per_ms_total", nil), ("x_mb", nil), ("x_Seconds", nil), ("milliseconds_ratio_x", nil), ("x_min", nil),
        ] as [(String, MetricUnit?)])
    func suffixes(name: String, unit: MetricUnit?) { #expect(MetricUnit(suffixOf: name) == unit) }

    @Test("a suffix that has two meanings is told as such, with both")
    func ambiguities() {
        #expect(MetricUnit.ambiguity(ofSuffixOf: "x_mb")?.meanings == [.megabytes, .mebibytes])
        #expect(MetricUnit.ambiguity(ofSuffixOf: "x_kb_total")?.suffix == "kb")
        #expect(MetricUnit.ambiguity(ofSuffixOf: "x_mib") == nil && MetricUnit.ambiguity(ofSuffixOf: "mb") == nil)
    }

    @Test(
        "a value is converted as the units' definitions say",
        arguments: [
            (MetricUnit.seconds, MetricUnit.us, 0.001234, 1234), (.seconds, .ms, 1.5, 1500),
            (.us, .seconds, 250, 0.00025),
            (.ns, .ms, 1_500_000, 1.5), (.seconds, .minutes, 90, 1.5), (.hours, .seconds, 0.5, 1800),
            (.days, .hours, 2, 48), (.bytes, .kib, 1536, 1.5), (.bytes, .megabytes, 2_500_000, 2.5),
            (.mib, .bytes, 2, 2_097_152), (.kilobytes, .kib, 128, 125), (.bytes, .bits, 3, 24),
            (.ratio, .percent, 0.25, 25), (.bps, .percent, 12.5, 0.125), (.ratio, .bps, 0.0012, 12),
            (.seconds, .sec, 3, 3), (.usd, .usd, 7, 7), (.none, .none, 7, 7),
        ])
    func conversions(from: MetricUnit, to: MetricUnit, value: Double, expected: Double) throws {
        let scale = try #require(from.scale(to: to))
        #expect(scale.scaled(value) == expected && scale.scaled(-value) == -expected)
    }

    @Test(
        "units that do not measure the same have no scale, and every unit is told in OpenMetrics by the word that it is"
    )
    func dimensions() {
        for (a, b) in [
            (MetricUnit.seconds, MetricUnit.bytes), (.usd, .ratio), (.none, .seconds), (.seconds, .none), (.bps, .usd),
            (.bits, .percent),
        ] { #expect(a.scale(to: b) == nil && b.scale(to: a) == nil) }
        for unit in MetricUnit.allCases where unit != .none {
            #expect(MetricUnit(suffixOf: "x_\(unit.rawValue)") == unit)
        }
    }

    @Test("a conversion and its inverse agree to a few units in the last place, for every pair of units")
    func inverse() {
        var random = SeededGenerator(seed: 1)
        for a in MetricUnit.allCases {
            for b in MetricUnit.allCases {
                guard let there = a.scale(to: b), let back = b.scale(to: a) else { continue }
                for _ in 0..<50 {
                    let value = Double.random(in: 1...10, using: &random) * 1e3
                    #expect(abs(back.scaled(there.scaled(value)) - value) <= 6 * value.ulp, "\(a) \(b) \(value)")
                }
            }
        }
    }

    @Test(
        "values keep their order, finite ones stay finite, none but 0 becomes 0, and the error is some units in the last place",
        arguments: [1e-18, 1e-9, 1e-6, 1e-3, 1.0 / 1024, 0.1, 1.0 / 3600, 7, 60, 100, 1e3, 1e6, 1e9, 1e18])
    func order(factor: Double) {
        let scale = UnitScale(factor: factor)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite, value != 0 else { continue }
            let scaled = scale.scaled(value)
            #expect(scaled.isFinite && scaled != 0 && (scaled < 0) == (value < 0))
            #expect(scale.scaled(value.nextUp) >= scaled && scale.scaled(value.nextDown) <= scaled)
            let product = value * factor
            if product.isNormal { #expect(abs(scaled - product) <= 5 * product.ulp) }
        }
        for value in [Double.infinity, -Double.infinity, 0.0] { #expect(scale.scaled(value) == value) }
        #expect(scale.scaled(Double.nan).isNaN)
    }

    @Test("the standard edges of durations have round figures in every decimal unit of time")
    func edges() {
        for exponent in -9...1 {
            for digits in ["1", "2.5", "5", "3", "7.3"] {
                let edge = Double("\(digits)e\(exponent)")!
                for (unit, power) in [(MetricUnit.ms, 3), (.us, 6), (.ns, 9)] {
                    let expected = Double("\(digits)e\(exponent + power)")!
                    #expect(MetricUnit.seconds.scale(to: unit)?.scaled(edge) == expected)
                    #expect(unit.scale(to: .seconds)?.scaled(expected) == edge)
                }
            }
        }
    }

    @Test(
        "a whole number times a whole factor stays whole, and is a real one where there is no room or the factor is none"
    )
    func numbers() {
        let times = UnitScale(factor: 1000)
        #expect(
            times.scaled(Number.unsigned(3)) == .unsigned(3000) && times.scaled(Number.signed(-3)) == .signed(-3000))
        #expect(times.scaled(Number.unsigned(.max)) == .real(0x1p64 * 1000))
        #expect(times.scaled(Number.real(0.25)) == .real(250))
        #expect(UnitScale(factor: 0.5).scaled(Number.unsigned(4)) == .real(2))
        #expect(UnitScale(factor: 2.5).scaled(Number.signed(-4)) == .real(-10))
        #expect(UnitScale(factor: 1).scaled(Number.unsigned(.max)) == .unsigned(.max))
    }
}
