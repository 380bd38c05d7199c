internal import Drain
internal import Glibc
internal import Platform
internal import RingReader

/// A ring that is observed twice, to measure its rate.
struct WatchedRing {
    let name: RingName
    /// CLOCK_MONOTONIC in nanoseconds.
    let firstLook: UInt64
    private let opened: Result<Segment, RingError>
    private let firstPosition: UInt64

    /// Returns nil for a ring that disappeared since its directory was read.
    init?(_ name: RingName, in directory: RingDirectory) {
        self.name = name
        do throws(RingError) {
            opened = .success(try Segment(name: name, path: directory.path(of: name)))
        } catch {
            if case .open(_, ENOENT) = error { return nil }
            opened = .failure(error)
        }
        firstLook = UInt64(bitPattern: monotonicNow())
        firstPosition = (try? opened.get())?.position ?? 0
    }

    /// Whether a producer may write between the two looks.
    var isWritten: Bool { (try? opened.get())?.isProducerAlive ?? false }

    /// Observes the ring a second time, and returns its row.
    func row(collector: CollectorView?) -> RingRow {
        let ring = collector?.ring(name)
        return RingRow(
            name: name, content: opened.map(look), backlog: ring?.backlog, lost: ring?.lostRecords)
    }

    private func look(_ segment: Segment) -> RingRow.Content {
        let position = segment.position
        let elapsed = Double(UInt64(bitPattern: monotonicNow()) &- firstLook) / 1e9
        let written = position &- firstPosition
        let life = segment.lives().last
        return RingRow.Content(
            state: ProducerState(of: segment), pid: life?.pid, ageSeconds: life.map { segment.secondsSinceAttach($0) },
            // A position that went backwards is damage, so there is no rate.
            rate: written > UInt64(Int64.max) ? nil : Double(written) / elapsed,
            position: position, capacity: segment.geometry.capacity, metrics: segment.metricCount,
            sampling: Sampling(of: segment))
    }
}

/// Whether a producer holds a ring, or how the last one ended.
enum ProducerState: String {
    case up
    /// Its producer closed it.
    case closed
    /// Its producer ended without closing it.
    case down

    /// For a capture, this is the state at the time of the capture.
    init(of segment: Segment) {
        switch segment.capture?.state {
        case .alive: self = .up
        case .closed: self = .closed
        case .dead: self = .down
        case nil:
            let isClosed = segment.geometry.producer.itemCount > 0 && segment.isClosed
            self = segment.isProducerAlive ? .up : isClosed ? .closed : .down
        }
    }
}

/// The setting of all control words of a ring together.
enum Sampling: Equatable, CustomStringConvertible {
    case all
    case oneIn(UInt32)
    case off
    case mixed

    init(_ word: ControlWord) {
        self = !word.isEnabled ? .off : word.samplingN == 1 ? .all : .oneIn(word.samplingN)
    }

    init(of segment: Segment) {
        let words = (0..<segment.metricCount).map { Sampling(segment.controlWord($0)) }
        let first = words.first ?? Sampling(segment.defaultControlWord)
        self = words.allSatisfy { $0 == first } ? first : .mixed
    }

    var description: String {
        switch self {
        case .all: "all"
        case .oneIn(let n): "1/\(n)"
        case .off: "off"
        case .mixed: "mixed"
        }
    }
}

extension Segment {
    /// Returns the time since a bot attached. For a life of this boot it is measured by CLOCK_MONOTONIC, which nobody
    /// can set, else by the wall clock.
    fileprivate func secondsSinceAttach(_ life: Life) -> Double {
        let isOfThisBoot = bootID == .ofThisBoot()
        let now = UInt64(bitPattern: isOfThisBoot ? monotonicNow() : unixNow())
        let anchor = isOfThisBoot ? life.anchorMonotonicNanoseconds : life.anchorUnixNanoseconds
        return max(0, Double(Int64(bitPattern: now &- anchor)) / 1e9)
    }
}
