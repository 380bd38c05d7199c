internal import Synchronization

/// What became of the questions of a desk. May be used from any thread.
package final class HTTPQuestionCounts: Sendable {
    /// How a question ended.
    package enum Outcome: String, CaseIterable, Sendable {
        /// With an answer that has gone out whole, a refusal by the answerer included.
        case answered
        /// Refused, since too many wait or too many long answers are being read.
        case refused
        /// Given up, since its client left or the collector ended.
        case left
        /// Given up after the time that an answer may take.
        case late
        /// Given up, since its client read nothing while others wanted its place.
        case displaced
        /// Broken off, since what answers it failed in the middle.
        case failed
    }

    private let counts = Mutex<[Outcome: UInt64]>([:])

    package init() {}

    func note(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// All of them by name, those that never happened too.
    package var all: [String: UInt64] {
        let counts = counts.withLock { $0 }
        return Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    }

    package subscript(outcome: Outcome) -> UInt64 { counts.withLock { $0[outcome] ?? 0 } }
}
