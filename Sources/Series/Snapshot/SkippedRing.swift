/// A ring in the ring directory that is not read, and the reason.
package struct SkippedRing: Equatable, Sendable {
    /// The kinds of reasons, as exports name them.
    package enum Reason: String, CaseIterable, Sendable {
        /// Another user owns it, and the collector is not configured to read that user's rings.
        case owner
        /// Its mode or its owner prevents the collector from opening it.
        case mode
        /// Its bytes are not those of a ring, or they changed while it was read.
        case damaged
        /// Its creation is not finished.
        case unfinished
        /// Another version of the format wrote it, or a machine of the other byte order.
        case version
        /// Its records are counted already: it is a link, a copy, or another name of a ring.
        case duplicate
        /// The limit `max_bots` is reached.
        case limit
        /// The system refused a descriptor, memory or a mapping.
        case system

        /// Whether an operator should act. The other reasons are intended, or temporary.
        package var isFailure: Bool {
            switch self {
            case .owner, .duplicate, .unfinished: false
            case .mode, .damaged, .version, .limit, .system: true
            }
        }
    }

    package var ring: String
    package var reason: Reason
    /// The user id of the file's owner; nil if it is unknown.
    package var owner: UInt32?
    /// A description for the operator: what is wrong, and what to do.
    package var detail: String

    package init(ring: String, reason: Reason, owner: UInt32?, detail: String) {
        self.ring = ring
        self.reason = reason
        self.owner = owner
        self.detail = detail
    }
}
