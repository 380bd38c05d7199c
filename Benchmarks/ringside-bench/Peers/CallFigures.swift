/// What was measured of one call in one round, in nanoseconds; a peer program says it under these names.
struct CallFigures: Codable, Sendable {
    let name: String
    /// One after the other.
    let loop: Double
    /// Single calls at the pace, an empty bracket taken off.
    let mean: Double
    let p50, p99, p999: Double
    /// Of that, the call of a function that does nothing: what of the mean is measuring; 0 where it is not known.
    let empty: Double
    /// Calls that found no room.
    let refused: Int

    enum CodingKeys: String, CodingKey {
        case name
        case loop = "loop_ns"
        case mean = "mean_ns"
        case p50 = "p50_ns"
        case p99 = "p99_ns"
        case p999 = "p999_ns"
        case empty = "empty_ns"
        case refused
    }
}
