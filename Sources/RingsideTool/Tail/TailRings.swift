internal import Arguments
internal import Glibc
internal import RingReader

/// Which rings a tail follows, those that appear while it does too.
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
    /// Whether there is nothing to see: only what is written from now on is wanted, and there is nobody to write it.
    private(set) var startsInSilence = false
    private let choice: Choice
    private let directory: RingDirectory
    private let trace: UInt64?
    /// What the records of all lanes are placed by.
    let clock = MachineClock()
    private var unreadable: Set<RingName> = []
    private var lastScan: UInt64

    /// Whether more than one ring is followed, or may come to be.
    var isMerged: Bool {
        switch choice {
        case .file, .ring: false
        case .bot, .all: true
        }
    }

    /// Whether the operator named them, and so wants to hear of each.
    var areNamed: Bool {
        switch choice {
        case .file, .all: false
        case .ring, .bot: true
        }
    }

    /// - Throws: What keeps it from following any ring at all.
    init(_ options: TailOptions) throws {
        directory = RingDirectory(path: options.ringDirectory)
        trace = options.trace
        lastScan = clockNanoseconds(CLOCK_MONOTONIC)
        switch options.ring {
        case .file(let path)?:
            choice = .file
            let segment = try RingOperand.file(path).open(in: directory, isSalvaging: false)
            let start = options.start ?? (segment.isProducerAlive ? .now : .oldest)
            lanes = [TailLane(segment, start: start, trace: trace, clock: clock)]
        case .name(let name)?:
            choice = name.lane.isEmpty ? .bot(name.bot) : .ring(name)
            try openFirst(options.start ?? .now)
            if lanes.isEmpty { throw NoSuchRing(path: directory.path(of: name)) }
        case nil:
            choice = .all
            try openFirst(options.start ?? .now)
            if lanes.isEmpty { throw FileError("there is no ring in \(directory.path)") }
        }
        if case .file = choice { return }
        startsInSilence = options.start != .oldest && !lanes.contains { $0.segment.isProducerAlive }
    }

    /// One ring that cannot be read is an error where it is the only one, else a word.
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

    /// Takes up rings that have appeared, ten times a second: all their records are of after the tail's begin.
    mutating func scan(monotonicNanoseconds now: UInt64) {
        guard isMerged, now &- lastScan >= Self.scanNanoseconds else { return }
        lastScan = now
        let known = Set(lanes.map(\.name))
        // A directory that went away has no new rings; those that are open are read to their end.
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
