/// The distance of two processors, by the round trip of a cache line between them.
///
/// Virtual processors are moved within seconds. So the distance is probed before and after each round, and a round is
/// neither near nor far if the processors moved between its probes.
enum CoreDistance: String, Sendable {
    case near
    case far
    /// It changed during the round, or there is one processor only.
    case mixed

    /// Pairs that share a cache answer within about 50-160 ns, others within 500-800 ns.
    static let farNanoseconds = 300.0

    init(before: Double?, after: Double?) {
        switch (before, after) {
        case (let before?, let after?) where max(before, after) < Self.farNanoseconds: self = .near
        case (let before?, let after?) where min(before, after) >= Self.farNanoseconds: self = .far
        default: self = .mixed
        }
    }
}
