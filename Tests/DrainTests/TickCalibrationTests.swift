import RingReader
import Testing

@testable import Drain

/// Tests the calibration against clocks whose truth the test knows. The collector turns every 10 ms.
@Suite struct TickCalibrationTests {
    private let turn = 10_000_000.0

    /// Returns the present error of the scale in nanoseconds.
    private func error(_ calibration: TickCalibration, _ clocks: FakeClocks) -> Int64 {
        calibration.scale.monotonic(clocks.ticks) - clocks.monotonic
    }

    /// Lets time pass turn by turn.
    ///
    /// - Returns: The largest error of any turn before it read the clocks, and the events that it reported.
    private func run(
        _ calibration: TickCalibration, _ clocks: FakeClocks, seconds: Double, drift: (Double) -> Double
    ) -> (largest: UInt64, events: [ClockEvent]) {
        var largest: UInt64 = 0
        var events: [ClockEvent] = []
        for _ in 0..<Int(seconds * 1e9 / turn) {
            clocks.advance(nanoseconds: turn, drift: drift(clocks.elapsed * 1e-9))
            largest = max(largest, error(calibration, clocks).magnitude)
            events += calibration.refresh()
        }
        return (largest, events)
    }

    @Test(
        "with ticks 50 parts in a million fast it is off by less than 1 us in any turn, and in a minute without a look")
    func steady() {
        for seed in 1...5 as ClosedRange<UInt64> {
            let clocks = FakeClocks(seed: seed)
            let calibration = TickCalibration(clocks: clocks)
            #expect(run(calibration, clocks, seconds: 60) { _ in 50e-6 }.largest < 100_000)
            for minute in 1...10 {
                let (largest, events) = run(calibration, clocks, seconds: 60) { _ in 50e-6 }
                #expect(largest < 1000 && events.isEmpty, "seed \(seed), minute \(minute): \(largest) ns")
                let scale = calibration.scale
                clocks.advance(nanoseconds: 60e9, drift: 50e-6)
                let left = scale.monotonic(clocks.ticks) - clocks.monotonic
                #expect(left.magnitude < 1000, "seed \(seed), minute \(minute), left alone: \(left) ns")
                #expect(calibration.refresh().isEmpty)
            }
            // The rate never changed.
            #expect(calibration.snapshot.driftRatio.map { abs($0) < 1e-7 } == true)
        }
    }

    @Test("it follows a crystal that wanders and NTP that corrects it, and is off by less than 1 us in any turn")
    func wandering() {
        for seed in 1...5 as ClosedRange<UInt64> {
            let clocks = FakeClocks(seed: seed)
            let calibration = TickCalibration(clocks: clocks)
            // The temperature changes the rate by half a part in a million in twenty minutes. NTP corrects by up to 0.3
            // parts every 64 s.
            func drift(_ second: Double) -> Double {
                let correction = [0, 0.1, -0.3, 0.2, -0.1, 0.3][Int(second / 64) % 6] * 1e-6
                return 50e-6 + 0.5e-6 * sine(second / 1200) + correction
            }
            _ = run(calibration, clocks, seconds: 60, drift: drift)
            let (largest, events) = run(calibration, clocks, seconds: 1800, drift: drift)
            #expect(largest < 1000 && events.isEmpty, "seed \(seed): \(largest) ns")
        }
    }

    @Test(
        "while the wall clock is slewed by 500 parts in a million it is off by less than 60 us, and soon by less than 1 us again"
    )
    func slewing() {
        let clocks = FakeClocks(seed: 3)
        let calibration = TickCalibration(clocks: clocks)
        _ = run(calibration, clocks, seconds: 120) { _ in 50e-6 }
        let slewed = run(calibration, clocks, seconds: 20) { _ in 550e-6 }
        #expect(slewed.largest < 60_000 && slewed.events.isEmpty, "\(slewed.largest) ns")
        #expect(run(calibration, clocks, seconds: 20) { _ in 550e-6 }.largest < 1000)
        #expect(calibration.snapshot.driftRatio.map { abs($0 + 500e-6) < 1e-6 } == true)
        #expect(run(calibration, clocks, seconds: 10) { _ in 50e-6 }.largest < 60_000)
        #expect(run(calibration, clocks, seconds: 60) { _ in 50e-6 }.largest < 1000)
        #expect(calibration.snapshot.driftRatio.map { abs($0) < 1e-7 } == true)
    }

    @Test(
        "a machine that slept is told of once; the ticks are right from the next turn on, whether they stood still or not",
        arguments: [FakeClocks.Sleep.ticksStop, .ticksGoOn, .ticksRestart], [0.02, 3600])
    func suspended(sleep: FakeClocks.Sleep, seconds: Double) {
        let clocks = FakeClocks(seed: 4)
        let calibration = TickCalibration(clocks: clocks)
        _ = run(calibration, clocks, seconds: 120) { _ in 50e-6 }
        clocks.suspend(seconds: seconds, sleep)
        clocks.isExact = true
        clocks.advance(nanoseconds: turn, drift: 50e-6)
        let jumps = sleep == .ticksStop ? [] : [ClockEvent.tickJump]
        var events = calibration.refresh()
        // The events come at the first turn if the ticks show the sleep. Otherwise nothing is wrong, and they wait for
        // the next second.
        if sleep != .ticksStop { #expect(events.count == 2) }
        #expect(error(calibration, clocks).magnitude < 1000)
        clocks.isExact = false
        let after = run(calibration, clocks, seconds: 60) { _ in 50e-6 }
        events += after.events
        #expect(after.largest < 1000)
        #expect(events.count == 1 + jumps.count && events.dropFirst().elementsEqual(jumps), "\(events)")
        guard case .suspend(let told)? = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(abs(Double(told) * 1e-9 - seconds) < 1e-3)
        let snapshot = calibration.snapshot
        #expect(snapshot.suspends == 1 && abs(snapshot.suspendedSeconds - seconds) < 1e-3)
        #expect(snapshot.tickJumps == UInt64(jumps.count) && snapshot.steps == 0 && snapshot.lastStepSeconds == nil)
        // The length of a tick is unchanged.
        #expect(snapshot.driftRatio.map { abs($0) < 1e-6 } == true)
    }

    @Test(
        "a step of the wall clock is told of once, with its size and sign; small ones once they come to a millisecond")
    func stepped() {
        let clocks = FakeClocks(seed: 5)
        let calibration = TickCalibration(clocks: clocks)
        _ = run(calibration, clocks, seconds: 10) { _ in 50e-6 }
        func step(_ seconds: Double) -> [ClockEvent] {
            clocks.stepWallClock(seconds: seconds)
            return run(calibration, clocks, seconds: 5) { _ in 50e-6 }.events
        }
        #expect(step(3600) == [.wallClockStep(nanoseconds: 3_600_000_000_000)])
        #expect(step(-0.5) == [.wallClockStep(nanoseconds: -500_000_000)])
        #expect(calibration.snapshot.steps == 2 && calibration.snapshot.lastStepSeconds == -0.5)
        #expect(step(0.0004) == [] && step(0.0004) == [])
        #expect(step(0.0004) == [.wallClockStep(nanoseconds: 1_200_000)])
        #expect(calibration.snapshot.steps == 3 && calibration.snapshot.suspends == 0)
        #expect(error(calibration, clocks).magnitude < 1000)
        // The clock was set while the machine slept. The step and the length of the sleep are told apart.
        clocks.suspend(seconds: 100, .ticksStop)
        #expect(
            step(-7200) == [.suspend(nanoseconds: 100_000_000_000), .wallClockStep(nanoseconds: -7_200_000_000_000)])
    }

    @Test(
        "without a counter that can be trusted a tick is a nanosecond of CLOCK_MONOTONIC, and suspends and steps are still seen"
    )
    func tickless() {
        let clocks = FakeClocks(kind: .monotonic, seed: 6)
        let calibration = TickCalibration(clocks: clocks)
        let quiet = run(calibration, clocks, seconds: 120) { _ in 50e-6 }
        #expect(quiet.largest == 0 && quiet.events.isEmpty && calibration.scale == .nanoseconds)
        clocks.suspend(seconds: 60, .ticksStop)
        clocks.stepWallClock(seconds: 2)
        let after = run(calibration, clocks, seconds: 5) { _ in 50e-6 }
        #expect(
            after.largest == 0
                && after.events == [.suspend(nanoseconds: 60_000_000_000), .wallClockStep(nanoseconds: 2_000_000_000)])
        #expect(calibration.snapshot.source == "monotonic" && calibration.snapshot.driftRatio == 0)
        #expect(calibration.snapshot.tickJumps == 0)
    }

    @Test("this machine's clocks agree with each other, reading for reading")
    func system() {
        let clocks = SystemClocks()
        let calibration = TickCalibration(clocks: clocks)
        for _ in 0..<100 {
            let reading = clocks.read()
            #expect(reading.bootTime - reading.monotonic > -1_000_000 && reading.unix > 1_600_000_000_000_000_000)
            // The first rate, of 5 ms, is exact to about 1e-5.
            let apart = (calibration.scale.monotonic(reading.ticks) - reading.monotonic).magnitude
            #expect(apart < 1_000_000 && reading.uncertainty >= 0)
        }
        #expect(calibration.snapshot.source == clocks.kind.name)
    }

    /// Returns the sine of a number of turns, without a mathematics library. The arcs of a parabola are smooth enough
    /// here.
    private func sine(_ turns: Double) -> Double {
        let phase = turns - turns.rounded(.down)
        return phase < 0.5 ? 16 * phase * (0.5 - phase) : -16 * (phase - 0.5) * (1 - phase)
    }
}
