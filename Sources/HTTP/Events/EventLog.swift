internal import Drain
internal import Exposition
internal import Platform

/// The last document of a stream of events, and the changes that led to it.
///
/// Memory: two documents at most. Changes that are together longer than the document are removed, since the document is
/// sent in their place.
struct EventLog: Sendable {
    private struct Change: Sendable {
        /// The number of the snapshot that it changes.
        let base: UInt64
        let block: EventBlock
    }

    private struct Latest: Sendable {
        let number: UInt64
        let begun: MonotonicTime
        let document: LatestDocument
        /// The event with the whole document.
        let block: EventBlock
    }

    /// Distinguishes this process from others, whose snapshots have the same numbers.
    private let epoch: String
    private var latest: Latest?
    /// The oldest comes first. Each leads to the base of the next, and the last one to `latest`.
    private var changes: [Change] = []

    /// The most changes that are kept for listeners that are behind.
    static let changeLimit = 16

    init(epoch: String) { self.epoch = epoch }

    /// The time at which the making of the last snapshot began; nil without one.
    var begun: MonotonicTime? { latest?.begun }

    /// The number of the last snapshot; nil without one.
    var number: UInt64? { latest?.number }

    /// The document with which the next one is compared, and its number.
    var base: (number: UInt64, document: LatestDocument)? { latest.map { ($0.number, $0.document) } }

    func id(_ number: UInt64) -> String { "\(epoch)-\(number)" }

    /// Returns the number of the snapshot that a `Last-Event-ID` names; nil if it is not one of this process.
    func number(ofID id: String?) -> UInt64? {
        guard let id, let dash = id.lastIndex(of: "-"), id[..<dash] == epoch else { return nil }
        return UInt64(id[id.index(after: dash)...])
    }

    /// Appends a snapshot.
    ///
    /// - Parameter change: The changes since ``base``; nil if only the whole document can show them.
    mutating func append(_ document: LatestDocument, change: [UInt8]?, number: UInt64, begun: MonotonicTime) {
        let id = id(number)
        let whole = EventBlock.snapshot(document.bytes, id: id)
        if let change, let base = latest?.number {
            changes.append(Change(base: base, block: .change(change, id: id)))
        } else {
            changes = []
        }
        latest = Latest(number: number, begun: begun, document: document, block: whole)
        dropUseless()
    }

    /// Removes the changes that would be sent to no listener.
    private mutating func dropUseless() {
        guard let limit = latest?.block.count else { return }
        var (count, kept) = (0, 0)
        for change in changes.reversed().prefix(Self.changeLimit) {
            count += change.block.count
            guard count <= limit else { break }
            kept += 1
        }
        changes.removeFirst(changes.count - kept)
    }

    mutating func removeAll() { (latest, changes) = (nil, []) }

    /// Returns the events that lead from a snapshot to the last one: the changes since then, or the whole document.
    ///
    /// - Parameter number: The snapshot that the listener has; nil if it has none.
    /// - Returns: Nil if the listener has the last one, or there is none.
    func events(after number: UInt64?) -> (blocks: [EventBlock], number: UInt64)? {
        guard let latest, latest.number != number else { return nil }
        if let number, let first = changes.firstIndex(where: { $0.base == number }) {
            return (changes[first...].map(\.block), latest.number)
        }
        return ([latest.block], latest.number)
    }
}
