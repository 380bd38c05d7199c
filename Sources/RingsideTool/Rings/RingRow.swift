internal import RingReader

/// The state of a ring, from two observations.
struct RingRow {
    struct Content {
        let state: ProducerState
        /// The process id of the last life, in its own pid namespace; nil if no life can be read.
        let pid: Int32?
        let ageSeconds: Double?
        /// Records a second; nil if the position went backwards.
        let rate: Double?
        let position: UInt64
        let capacity: UInt64
        let metrics: Int
        let sampling: Sampling
    }

    let name: RingName
    /// The ring's content, or why it cannot be read.
    let content: Result<Content, RingError>
    /// The backlog by the collector; nil if none answers, or if it does not know the ring.
    let backlog: UInt64?
    let lost: UInt64?
}
