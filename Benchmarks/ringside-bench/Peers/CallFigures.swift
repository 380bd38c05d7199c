/// The measurements of one call in one round, in nanoseconds. A peer program reports them under these names.
struct CallFigures: Codable, Sendable {
    let name: String
    /// The cost of calls that follow one another.
    let loop: Double
    /// Single calls at the pace, less an empty bracket.
    let mean: Double
    let p50, p99, p999: Double
    /// The part of the mean that is the call of a function that does nothing; 0 if it is not known.
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
