/// What a question is answered with.
package enum HTTPAnswer {
    case whole(HTTPResponse)
    /// A head, and what gives the body piece by piece, nil at its end. It is called by one thread at a time, and dropped when
    /// the answer is over: whatever it keeps open is closed then.
    case pieces(HTTPResponse, next: () throws -> [UInt8]?)
}

/// Answers questions whose answers may be long.
///
/// - Parameters:
///   - arguments: of the request's URL, decoded.
///   - isWanted: to be asked often, some thousand times a second: once it says no, the answer is to be given up.
package typealias HTTPAnswerer =
    @Sendable (
        _ arguments: [(name: String, value: String)], _ isWanted: @escaping @Sendable () -> Bool
    ) -> HTTPAnswer
