import Ringside
import RingsideCatalogue

/// The notes kept of a run's emission.
enum NoteTaking: Sendable {
    /// No notes: the run costs the same as a bot's own emission.
    case none
    /// Counts, sums and last values.
    case totals
    /// Also every histogram value, 8 bytes each.
    case everyValue
}

/// Registers one bot's instruments and owns their notes. Used by that bot's thread alone.
final class Recorder {
    private enum Note {
        case none
        case counter(UnsafeMutablePointer<UInt64>)
        case fractionalCounter(UnsafeMutablePointer<Double>)
        case upDownCounter(UnsafeMutablePointer<Int64>)
        case gauge(UnsafeMutablePointer<Double>)
        case histogram(UnsafeMutablePointer<HistogramNote>, HistogramEncoding)
    }

    private typealias LabelPairs = [(name: String, value: String)]

    private struct Entry {
        let name: String
        let labels: LabelPairs
        let note: Note
    }

    private let noteTaking: NoteTaking
    private var entries: [Entry] = []

    init(_ noteTaking: NoteTaking) { self.noteTaking = noteTaking }

    deinit {
        for entry in entries {
            switch entry.note {
            case .none: break
            case .counter(let note): note.deallocate()
            case .fractionalCounter(let note), .gauge(let note): note.deallocate()
            case .upDownCounter(let note): note.deallocate()
            case .histogram(let note, _): note.deinitialize(count: 1).deallocate()
            }
        }
    }

    /// Returns everything emitted so far, converted to the exported units.
    ///
    /// - Parameter ticksPerSecond: The clock's rate; the later it is measured, the more exact it is.
    func emitted(ticksPerSecond: Double) -> [EmittedMetric] {
        entries.compactMap { entry in
            value(of: entry.note, ticksPerSecond: ticksPerSecond).map {
                EmittedMetric(name: entry.name, labels: entry.labels, value: $0)
            }
        }
    }

    private func value(of note: Note, ticksPerSecond: Double) -> EmittedMetric.Value? {
        switch note {
        case .none: nil
        case .counter(let note): .counter(note.pointee)
        case .fractionalCounter(let note): .fractionalCounter(note.pointee)
        case .upDownCounter(let note): .upDownCounter(note.pointee)
        case .gauge(let note): note.pointee.isNaN ? nil : .gauge(note.pointee)
        case .histogram(let note, let encoding):
            .histogram(EmittedHistogram(note.pointee, encoding, ticksPerSecond: ticksPerSecond))
        }
    }
}

// MARK: - Registering

extension Recorder {
    func counter<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<Counter, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedCounter {
        let counter = try telemetry.instrument(definition, repeat each values)
        let note = noteTaking == .none ? nil : allocate(0 as UInt64)
        enter(definition.metric.name, definition.labels(repeat each values), note.map(Note.counter))
        return RecordedCounter(counter: counter, note: note)
    }

    func fractionalCounter<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<FractionalCounter, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedFractionalCounter {
        let counter = try telemetry.instrument(definition, repeat each values)
        let note = noteTaking == .none ? nil : allocate(0.0)
        enter(definition.metric.name, definition.labels(repeat each values), note.map(Note.fractionalCounter))
        return RecordedFractionalCounter(counter: counter, note: note)
    }

    func upDownCounter<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<UpDownCounter, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedUpDownCounter {
        let counter = try telemetry.instrument(definition, repeat each values)
        let note = noteTaking == .none ? nil : allocate(0 as Int64)
        enter(definition.metric.name, definition.labels(repeat each values), note.map(Note.upDownCounter))
        return RecordedUpDownCounter(counter: counter, note: note)
    }

    func gauge<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<Gauge, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedGauge {
        let gauge = try telemetry.instrument(definition, repeat each values)
        let note = noteTaking == .none ? nil : allocate(Double.nan)
        enter(definition.metric.name, definition.labels(repeat each values), note.map(Note.gauge))
        return RecordedGauge(gauge: gauge, note: note)
    }

    /// Registers the process' resident memory.
    func memory(_ telemetry: borrowing Telemetry) throws(RegistrationError) -> RecordedMemory {
        let memory = try MemoryGauge(telemetry)
        let note = noteTaking == .none ? nil : allocate(Double.nan)
        let definition = HealthPlane.componentMemory
        enter(definition.metric.name, definition.labels("process"), note.map(Note.gauge))
        return RecordedMemory(memory: memory, note: note)
    }

    func histogram<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<Histogram, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedHistogram {
        let histogram = try telemetry.instrument(definition, repeat each values)
        let note = histogramNote(definition.metric.name, definition.labels(repeat each values), .real)
        return RecordedHistogram(histogram: histogram, note: note)
    }

    func duration<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<DurationHistogram, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedDuration {
        let histogram = try telemetry.instrument(definition, repeat each values)
        let note = histogramNote(definition.metric.name, definition.labels(repeat each values), .ticks)
        return RecordedDuration(histogram: histogram, note: note)
    }

    /// Registers a histogram of durations that are measured on another clock, in nanoseconds.
    func nanoseconds<each L: LabelValue>(
        _ telemetry: borrowing Telemetry, _ definition: InstrumentDefinition<DurationHistogram, repeat each L>,
        _ values: repeat each L
    ) throws(RegistrationError) -> RecordedNanoseconds {
        let histogram = try telemetry.instrument(definition, repeat each values)
        let note = histogramNote(definition.metric.name, definition.labels(repeat each values), .nanoseconds)
        return RecordedNanoseconds(histogram: histogram, note: note)
    }

    private func histogramNote(
        _ name: String, _ labels: LabelPairs, _ encoding: HistogramEncoding
    ) -> UnsafeMutablePointer<HistogramNote>? {
        guard noteTaking != .none else { return nil }
        let note = allocate(HistogramNote(keepsValues: noteTaking == .everyValue))
        enter(name, labels, .histogram(note, encoding))
        return note
    }

    private func allocate<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
        let note = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        note.initialize(to: value)
        return note
    }

    private func enter(_ name: String, _ labels: LabelPairs, _ note: Note?) {
        entries.append(Entry(name: name, labels: labels, note: note ?? .none))
    }
}
