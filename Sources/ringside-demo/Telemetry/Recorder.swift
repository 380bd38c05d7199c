import Ringside

/// What is kept of a run's emission.
enum NoteTaking: Sendable {
    /// Nothing: the run costs what a bot's own emission costs.
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

    private struct Entry {
        let name: String
        let labels: [(name: String, value: String)]
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

    /// Everything emitted so far, converted to the exported units.
    ///
    /// - Parameter ticksPerSecond: What a tick is worth; the later it is asked, the better it is known.
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
    typealias LabelPairs = KeyValuePairs<String, String>

    func counter(
        _ telemetry: borrowing Telemetry, _ name: String, help: String, _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedCounter {
        let counter = try telemetry.counter(name, help: help, labels: Labels(pairs(labels)))
        let note = noteTaking == .none ? nil : allocate(0 as UInt64)
        enter(name, labels, note.map(Note.counter))
        return RecordedCounter(counter: counter, note: note)
    }

    func fractionalCounter(
        _ telemetry: borrowing Telemetry, _ name: String, unit: MetricUnit, help: String, _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedFractionalCounter {
        let counter = try telemetry.fractionalCounter(name, unit: unit, help: help, labels: Labels(pairs(labels)))
        let note = noteTaking == .none ? nil : allocate(0.0)
        enter(name, labels, note.map(Note.fractionalCounter))
        return RecordedFractionalCounter(counter: counter, note: note)
    }

    func upDownCounter(
        _ telemetry: borrowing Telemetry, _ name: String, help: String, _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedUpDownCounter {
        let counter = try telemetry.upDownCounter(name, help: help, labels: Labels(pairs(labels)))
        let note = noteTaking == .none ? nil : allocate(0 as Int64)
        enter(name, labels, note.map(Note.upDownCounter))
        return RecordedUpDownCounter(counter: counter, note: note)
    }

    func gauge(
        _ telemetry: borrowing Telemetry, _ name: String, unit: MetricUnit = .none, help: String,
        _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedGauge {
        let gauge = try telemetry.gauge(name, unit: unit, help: help, labels: Labels(pairs(labels)))
        let note = noteTaking == .none ? nil : allocate(Double.nan)
        enter(name, labels, note.map(Note.gauge))
        return RecordedGauge(gauge: gauge, note: note)
    }

    func histogram(
        _ telemetry: borrowing Telemetry, _ name: String, unit: MetricUnit = .none, help: String,
        _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedHistogram {
        let histogram = try telemetry.histogram(name, unit: unit, help: help, labels: Labels(pairs(labels)))
        return RecordedHistogram(histogram: histogram, note: histogramNote(name, labels, .real))
    }

    func duration(
        _ telemetry: borrowing Telemetry, _ name: String, help: String, _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedDuration {
        let histogram = try telemetry.durationHistogram(name, help: help, labels: Labels(pairs(labels)))
        return RecordedDuration(histogram: histogram, note: histogramNote(name, labels, .ticks))
    }

    func nanoseconds(
        _ telemetry: borrowing Telemetry, _ name: String, help: String, _ labels: LabelPairs = [:]
    ) throws(RegistrationError) -> RecordedNanoseconds {
        let histogram = try telemetry.durationHistogram(name, help: help, labels: Labels(pairs(labels)))
        return RecordedNanoseconds(histogram: histogram, note: histogramNote(name, labels, .nanoseconds))
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
        entries.append(Entry(name: name, labels: pairs(labels), note: note ?? .none))
    }

    private func pairs(_ labels: LabelPairs) -> [(name: String, value: String)] {
        labels.map { (name: $0.key, value: $0.value) }
    }
}
