internal import Drain
internal import CBench
internal import RingReader

/// The other side of every measurement: one thread on the other processor. It reads the measured rings as a collector
/// would, answers a probe of the distance between the two processors, or stays out of the way.
final class Partner: Sendable {
    enum Duty: UInt64 {
        /// Sleeps, and checks every 0.1 ms whether there is something to do.
        case parked
        /// Reads its rings to the end every 50 us.
        case reading
        /// Returns every number that it is given, as fast as it can.
        case echoing
        case leaving
    }

    static let pollNanoseconds = 50_000.0

    private let duty = SharedWord(Duty.parked.rawValue)
    private let taken = SharedWord(Duty.leaving.rawValue)
    private let question = SharedWord()
    private let answer = SharedWord()
    private let thread: NativeThread

    /// - Parameter rings: The rings that it reads, mapped read-only by the thread itself.
    init(rings: [(name: RingName, path: String)] = []) {
        thread = NativeThread { [duty, taken, question, answer] in
            Processors.pin(to: Processors.partners)
            let places = rings.compactMap { RingPlace($0.name, path: $0.path) }
            while let now = Duty(rawValue: duty.value), now != .leaving {
                taken.value = now.rawValue
                switch now {
                case .reading: Self.read(places, while: duty)
                case .echoing: while duty.value == Duty.echoing.rawValue { answer.value = question.value }
                default: sleep(nanoseconds: 100_000)
                }
            }
        }
    }

    /// Gives the partner another duty, and waits until it has taken it.
    func take(_ wanted: Duty) {
        duty.value = wanted.rawValue
        while taken.value != wanted.rawValue {}
    }

    /// Ends the thread. Called once.
    func leave() {
        duty.value = Duty.leaving.rawValue
        thread.join()
    }

    private static func read(_ places: [RingPlace], while duty: SharedWord) {
        let period = TickScale.ticks(nanoseconds: pollNanoseconds)
        while duty.value == Duty.reading.rawValue {
            for place in places { place.readToEnd() }
            let next = bench_ticks() + period
            // Two threads that spin on one processor take turns of milliseconds, so there it sleeps.
            if Processors.partners == nil { sleep(nanoseconds: Int64(pollNanoseconds)) }
            while bench_ticks() < next {}
        }
    }

    /// Returns the time for a cache line to go to the other processor and back, in nanoseconds: the median of 20 turns
    /// of 50. The partner is parked afterwards. Returns nil on one processor.
    func roundTripNanoseconds() -> Double? {
        guard Processors.partners != nil else { return nil }
        take(.echoing)
        defer { take(.parked) }
        var number = question.value
        let turns = (0..<20).map { _ in
            let begun = bench_ticks()
            for _ in 0..<50 {
                number += 1
                question.value = number
                while answer.value != number {}
            }
            return TickScale.nanoseconds(Double(bench_ticks() - begun)) / 50
        }
        return medianOf(turns)
    }
}
