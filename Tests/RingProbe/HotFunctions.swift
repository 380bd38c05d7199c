import CProbe
import Ringside

/// Everything that a bot emits through, behind one pointer.
struct Instruments: ~Copyable {
    let telemetry: Telemetry
    let counter: Counter
    let fees: FractionalCounter
    let upDown: UpDownCounter
    let gauge: Gauge
    let spikes: Gauge
    let values: Histogram
    let durations: DurationHistogram

    static func registered(_ telemetry: consuming Telemetry) throws(RegistrationError) -> Instruments {
        let counter = try telemetry.counter("probe_total", help: "A counter.")
        let fees = try telemetry.fractionalCounter("probe_fees_usd_total", unit: .usd, help: "A fractional counter.")
        let upDown = try telemetry.upDownCounter("probe_open", help: "An up-down counter.")
        let gauge = try telemetry.gauge("probe_level", help: "A gauge.")
        let spikes = try telemetry.gauge("probe_spikes", help: "A gauge.", recording: .everyChange)
        let values = try telemetry.histogram("probe_value", help: "Values.")
        let durations = try telemetry.durationHistogram("probe_seconds", help: "Durations.")
        return Instruments(
            telemetry: telemetry, counter: counter, fees: fees, upDown: upDown, gauge: gauge, spikes: spikes,
            values: values,
            durations: durations)
    }
}

enum Refusal: Error {
    case refused
}

// One function a call of the emit path, each under a name that a disassembler shows. The pointer is to `Instruments`.

@inline(__always)
private func instruments(_ pointer: UnsafeRawPointer) -> UnsafePointer<Instruments> {
    pointer.assumingMemoryBound(to: Instruments.self)
}

@inline(never) @_cdecl("ringside_probe_counter")
func probeCounter(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.counter.increment() }

@inline(never) @_cdecl("ringside_probe_up_down")
func probeUpDown(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.upDown.add(-1) }

@inline(never) @_cdecl("ringside_probe_gauge")
func probeGauge(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.gauge.set(0.5) }

@inline(never) @_cdecl("ringside_probe_fees")
func probeFees(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.fees.increment(by: 0.25) }

@inline(never) @_cdecl("ringside_probe_spikes")
func probeSpikes(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.spikes.set(0.5) }

@inline(never) @_cdecl("ringside_probe_value")
func probeValue(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.values.record(0.5) }

@inline(never) @_cdecl("ringside_probe_timed_value")
func probeTimedValue(_ pointer: UnsafeRawPointer) {
    let now = instruments(pointer).pointee.telemetry.now()
    instruments(pointer).pointee.values.record(0.5, at: now)
}

@inline(never) @_cdecl("ringside_probe_nanoseconds")
func probeNanoseconds(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.durations.record(nanoseconds: 250) }

@inline(never) @_cdecl("ringside_probe_closure")
func probeClosure(_ pointer: UnsafeRawPointer) { instruments(pointer).pointee.durations.measure { probe_work() } }

@inline(never) @_cdecl("ringside_probe_throwing_closure")
func probeThrowingClosure(_ pointer: UnsafeRawPointer, _ isRefused: Bool) -> Bool {
    do throws(Refusal) {
        try instruments(pointer).pointee.durations.measure { () throws(Refusal) in
            probe_work()
            if isRefused { throw Refusal.refused }
        }
        return true
    } catch {
        return false
    }
}

@inline(never) @_cdecl("ringside_probe_token")
func probeToken(_ pointer: UnsafeRawPointer) {
    let span = instruments(pointer).pointee.durations.start()
    probe_work()
    span.end()
}

@inline(never) @_cdecl("ringside_probe_dropped_token")
func probeDroppedToken(_ pointer: UnsafeRawPointer) {
    let span = instruments(pointer).pointee.durations.start()
    probe_work()
    _ = consume span
}

@inline(never) @_cdecl("ringside_probe_by_hand")
func probeByHand(_ pointer: UnsafeRawPointer) {
    let start = instruments(pointer).pointee.telemetry.now()
    probe_work()
    instruments(pointer).pointee.durations.record(since: start)
}

@inline(never) @_cdecl("ringside_probe_stopwatch")
func probeStopwatch(_ pointer: UnsafeRawPointer) {
    var watch = instruments(pointer).pointee.telemetry.stopwatch()
    probe_work()
    watch.lap(into: instruments(pointer).pointee.durations)
    probe_work()
    watch.lap(into: instruments(pointer).pointee.durations)
}
