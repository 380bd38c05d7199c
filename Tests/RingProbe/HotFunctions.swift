import CProbe
import Ringside

/// All instruments of a bot, behind one pointer.
struct Instruments: ~Copyable {
    let telemetry: Telemetry
    let counter: Counter
    let fees: FractionalCounter
    let upDown: UpDownCounter
    let gauge: Gauge
    let spikes: Gauge
    let values: Histogram
    let durations: DurationHistogram
    let context: TraceContext

    static func registered(_ telemetry: consuming Telemetry) throws(RegistrationError) -> Instruments {
        let counter = try telemetry.counter("probe_total", help: "A counter.")
        let fees = try telemetry.fractionalCounter("probe_fees_usd_total", unit: .usd, help: "A fractional counter.")
        let upDown = try telemetry.upDownCounter("probe_open", help: "An up-down counter.")
        let gauge = try telemetry.gauge("probe_level", help: "A gauge.")
        let spikes = try telemetry.gauge("probe_spikes", help: "A gauge.", recording: .everyChange)
        let values = try telemetry.histogram("probe_value", help: "Values.")
        let durations = try telemetry.durationHistogram("probe_seconds", help: "Durations.")
        let context = (try? TraceContext(traceparent: traceparent)) ?? .none
        return Instruments(
            telemetry: telemetry, counter: counter, fees: fees, upDown: upDown, gauge: gauge, spikes: spikes,
            values: values,
            durations: durations, context: context)
    }
}

/// A header as another program would send it.
private let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

enum Refusal: Error {
    case refused
}

// There is one function for each call of the emit path, under a name that a disassembler shows. The pointer is to
// `Instruments`.

@inline(__always)
private func instruments(_ pointer: UnsafeRawPointer) -> UnsafePointer<Instruments> {
    pointer.assumingMemoryBound(to: Instruments.self)
}

@inline(never) @_cdecl("ringside_probe_nothing")
func probeNothing(_ pointer: UnsafeRawPointer) { probe_barrier() }

@inline(never) @_cdecl("ringside_probe_disabled_value")
func probeDisabledValue(_ pointer: UnsafeRawPointer) {
    // The trace is different, so that the compiler does not merge this function with the enabled one.
    instruments(pointer).pointee.values.record(0.5, trace: UInt64(UInt(bitPattern: pointer)))
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
    // The trace is different, as above, so that this is no twin of the closure.
    let span = instruments(pointer).pointee.durations.start(trace: UInt64(UInt(bitPattern: pointer)))
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

@inline(never) @_cdecl("ringside_probe_span_in_span")
func probeSpanInSpan(_ pointer: UnsafeRawPointer) {
    let outer = instruments(pointer).pointee.durations.start(in: instruments(pointer).pointee.context)
    let inner = instruments(pointer).pointee.durations.start(in: outer.context)
    probe_work()
    instruments(pointer).pointee.values.record(0.5, in: inner.context)
    inner.end()
    outer.end()
}

/// Writes a context's header and reads it, as the next program would. A header that cannot be read throws.
@inline(never) @_cdecl("ringside_probe_throwing_traceparent")
func probeTraceparent(_ pointer: UnsafeRawPointer) {
    withUnsafeTemporaryAllocation(byteCount: 55, alignment: 1) { text in
        guard instruments(pointer).pointee.context.write(traceparent: text) == 55,
            let handed = try? TraceContext(traceparent: UnsafeRawBufferPointer(text))
        else { return }
        instruments(pointer).pointee.values.record(0.25, in: handed)
    }
}
