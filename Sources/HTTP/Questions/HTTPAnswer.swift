/// The answer to a question.
package enum HTTPAnswer {
    case whole(HTTPResponse)
    /// A head, and a function that returns the body piece by piece and nil at its end. One thread at a time calls it.
    /// It is released when the answer is over, which closes the resources that it holds.
    case pieces(HTTPResponse, next: () throws -> [UInt8]?)
}

/// Answers questions, possibly at length.
///
/// - Parameters:
///   - isWanted: to be called often, some thousand times a second. Once it returns false, the answer should be
///     abandoned.
package typealias HTTPAnswerer =
    @Sendable (
        _ arguments: [(name: String, value: String)], _ isWanted: @escaping @Sendable () -> Bool
    ) -> HTTPAnswer
