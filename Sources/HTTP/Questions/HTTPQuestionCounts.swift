internal import Synchronization

/// Counts how the questions of a pool ended. May be used from any thread.
package final class HTTPQuestionCounts: Sendable {
    /// How a question ended.
    package enum Outcome: String, CaseIterable, Sendable {
        /// The answer was sent completely. This includes a refusal by the answerer.
        case answered
        /// Refused, because too many wait, or too many long answers are being read.
        case refused
        /// Abandoned, because the client left or the collector ended.
        case left
        /// Abandoned after the time that an answer may take.
        case late
        /// Abandoned, because the client read nothing while others needed its place.
        case displaced
        /// Aborted, because the answerer failed midway.
        case failed
    }

    private let counts = Mutex<[Outcome: UInt64]>([:])

    package init() {}

    func note(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// All outcomes by name, including those that never happened.
    package var all: [String: UInt64] {
        let counts = counts.withLock { $0 }
        return Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    }

    package subscript(outcome: Outcome) -> UInt64 { counts.withLock { $0[outcome] ?? 0 } }
}
