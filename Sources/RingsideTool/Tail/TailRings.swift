internal import Arguments
internal import Glibc
internal import Platform
internal import RingReader

/// The rings that a tail follows, including those that appear meanwhile.
struct TailRings {
    private enum Choice {
        case file
        case ring(RingName)
        case bot(String)
        case all

        func includes(_ name: RingName) -> Bool {
            switch self {
            case .file: false
            case .ring(let ring): name == ring
            case .bot(let bot): name.bot == bot
            case .all: true
            }
        }
    }

    private static let scanNanoseconds: UInt64 = 100_000_000

    private(set) var lanes: [TailLane] = []
    /// Whether there is nothing to show yet: only new records are wanted, and no bot is there to write them.
    private(set) var startsInSilence = false
    private let choice: Choice
    private let directory: RingDirectory
    private let trace: TraceQuery?
    /// Dates the records of all lanes.
    let clock = MachineClock()
    private var unreadable: Set<RingName> = []
    private var lastScan: UInt64

    /// Whether more than one ring is followed, or may be later.
    var isMerged: Bool {
        switch choice {
        case .file, .ring: false
        case .bot, .all: true
        }
    }

    /// Whether the operator named the rings, and so wants a message for each.
    var areNamed: Bool {
        switch choice {
        case .file, .all: false
        case .ring, .bot: true
        }
    }

    /// - Throws: An error if no ring at all can be followed.
    init(_ options: TailOptions) throws {
        directory = RingDirectory(path: options.ringDirectory)
        trace = options.trace
        lastScan = UInt64(bitPattern: monotonicNow())
        // Most records of a trace are in the past.
        let defaultStart: TailStart = options.trace == nil ? .now : .oldest
        let chosenStart = options.start ?? defaultStart
        switch options.ring {
        case .file(let path)?:
            choice = .file
            let segment = try RingOperand.file(path).open(in: directory, isSalvaging: false)
            let start = options.start ?? (segment.isProducerAlive ? defaultStart : .oldest)
            lanes = [TailLane(segment, start: start, trace: trace, clock: clock)]
        case .name(let name)?:
            choice = name.lane.isEmpty ? .bot(name.bot) : .ring(name)
            try openFirst(chosenStart)
            if lanes.isEmpty {
                try RingOperand.refuseFile(named: name)
                throw NoSuchName.ring(name, in: directory)
            }
        case nil:
            choice = .all
            try openFirst(chosenStart)
            if lanes.isEmpty { throw FileError("there is no ring in \(directory.path)") }
        }
        if case .file = choice { return }
        startsInSilence = chosenStart != .oldest && !lanes.contains { $0.segment.isProducerAlive }
    }

    /// Opens the chosen rings. If none can be read, the first error is thrown, else each error is a message.
    private mutating func openFirst(_ start: TailStart) throws {
        var failures: [RingError] = []
        for name in try directory.ringNames() where choice.includes(name) {
            do throws(RingError) {
                lanes.append(try open(name, start))
            } catch {
                unreadable.insert(name)
                failures.append(error)
            }
        }
        if lanes.isEmpty, let failure = failures.first { throw failure }
        for failure in failures { Terminal.report("ringside tail: \(failure.description.printable)") }
    }

    private func open(_ name: RingName, _ start: TailStart) throws(RingError) -> TailLane {
        TailLane(try Segment(name: name, path: directory.path(of: name)), start: start, trace: trace, clock: clock)
    }

    /// Adds rings that have appeared, ten times a second. All their records are later than the tail's start.
    mutating func scan(monotonicNanoseconds now: UInt64) {
        guard isMerged, now &- lastScan >= Self.scanNanoseconds else { return }
        lastScan = now
        let known = Set(lanes.map(\.name))
        // A directory that was removed has no new rings; the open ones are read to their end.
        for name in (try? directory.ringNames()) ?? [] where choice.includes(name) && !known.contains(name) {
            do throws(RingError) {
                lanes.append(try open(name, .oldest))
            } catch {
                guard unreadable.insert(name).inserted else { continue }
                Terminal.report("ringside tail: \(error.description.printable)")
            }
        }
    }
}
