internal import Glibc
internal import RingReader
internal import Ringside

/// A ring, or none, with one instrument of each kind, through which a call emits.
struct Subject: ~Copyable {
    let telemetry: Telemetry
    let counter: Counter
    /// Eight counters, which a loop uses in turn. A single counter waits for its own last store.
    let counters: UnsafeMutablePointer<Counter>
    let gauge: Gauge
    let values: Histogram
    let durations: DurationHistogram
    /// The place where a bot keeps the stopwatch of a chain whose stages are functions.
    let watch: UnsafeMutablePointer<Stopwatch>
    let floor: FloorRing

    static func registered(
        _ telemetry: consuming Telemetry, floor: FloorRing
    ) throws(RegistrationError) -> Subject {
        let counter = try telemetry.counter("bench_total", help: "A counter.")
        let counters = UnsafeMutablePointer<Counter>.allocate(capacity: 8)
        for index in 0..<8 {
            let counter = try telemetry.counter("bench_\(index)_total", help: "One of eight.")
            (counters + index).initialize(to: counter)
        }
        let gauge = try telemetry.gauge("bench_level", help: "A gauge.")
        let values = try telemetry.histogram("bench_value", help: "Values.")
        let durations = try telemetry.durationHistogram("bench_seconds", help: "Durations.")
        let watch = UnsafeMutablePointer<Stopwatch>.allocate(capacity: 1)
        watch.initialize(to: telemetry.stopwatch())
        return Subject(
            telemetry: telemetry, counter: counter, counters: counters, gauge: gauge, values: values,
            durations: durations, watch: watch, floor: floor)
    }
}

/// The subjects of a run, each behind a pointer as a bot's own state is.
final class Subjects {
    /// A ring whose reader comes every 50 us.
    let live: UnsafeMutablePointer<Subject>
    /// A handle without a ring.
    let disabled: UnsafeMutablePointer<Subject>
    /// A ring whose control words let 1 call in 65,535 through.
    let sampled: UnsafeMutablePointer<Subject>
    /// A full ring with a reader that has mapped it and hangs.
    let lapped: UnsafeMutablePointer<Subject>
    /// A ring that nobody has mapped.
    let unread: UnsafeMutablePointer<Subject>
    let floor: FloorRing
    private let directory: ScratchDirectory

    static let capacityRecords = 131_072

    init(in directory: ScratchDirectory) throws {
        self.directory = directory
        // The settings of the caller's environment must not affect the measurement.
        for variable in ["RINGSIDE", "RINGSIDE_SAMPLING", "RINGSIDE_MAX_RATE"] { unsetenv(variable) }
        let floor = FloorRing(in: directory.path, capacityRecords: Self.capacityRecords)
        self.floor = floor
        func subject(_ name: String) throws -> UnsafeMutablePointer<Subject> {
            let options = AttachOptions(directory: directory.path, capacityRecords: Self.capacityRecords)
            return try place(Subject.registered(Telemetry.attach(name, options: options), floor: floor))
        }
        live = try subject("live")
        lapped = try subject("lapped")
        unread = try subject("unread")
        setenv("RINGSIDE_SAMPLING", "1/65535", 1)
        defer { unsetenv("RINGSIDE_SAMPLING") }
        sampled = try subject("sampled")
        disabled = try place(Subject.registered(Telemetry.disabled(), floor: floor))
    }

    /// The rings that a live reader reads, with their files. A floor is read like the call that it is the floor of.
    var readRings: [(name: RingName, path: String)] {
        ["live", FloorRing.name].map { (RingName($0)!, path(of: $0)) }
    }

    func path(of ring: String) -> String { "\(directory.path)/ringside.\(ring)" }

    deinit {
        for subject in [live, disabled, sampled, lapped, unread] {
            subject.pointee.watch.deallocate()
            subject.pointee.counters.deallocate()
            subject.deinitialize(count: 1)
            subject.deallocate()
        }
        floor.deallocate()
    }
}

private func place(_ subject: consuming Subject) -> UnsafeMutablePointer<Subject> {
    let pointer = UnsafeMutablePointer<Subject>.allocate(capacity: 1)
    pointer.initialize(to: subject)
    return pointer
}
