/// How far apart two processors are, by the round trip of a cache line between them.
///
/// Virtual processors are moved about within seconds: the probe stands before and after each round, and a round between
/// whose probes they moved is neither.
enum CoreDistance: String, Sendable {
    case near
    case far
    /// It changed during the round, or there is one processor only.
    case mixed

    /// Pairs that share a cache answer within some 50-160 ns, others take 500-800.
    static let farNanoseconds = 300.0

    init(before: Double?, after: Double?) {
        switch (before, after) {
        case (let before?, let after?) where max(before, after) < Self.farNanoseconds: self = .near
        case (let before?, let after?) where min(before, after) >= Self.farNanoseconds: self = .far
        default: self = .mixed
        }
    }
}
