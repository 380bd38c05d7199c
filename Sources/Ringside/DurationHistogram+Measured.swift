/// Wraps a function into one that does the same and records how long each call took, like a decorator in other
/// languages.
///
/// ```swift
/// let process = candle.measured(process)
/// ```
///
/// A call that throws is recorded as failed. Asynchronous functions run in their caller's context, without a hop. They
/// may have up to three arguments, because today's compiler cannot build one wrapper that is generic over their number.
extension DurationHistogram {
    /// Wraps a function of any number of arguments.
    @inlinable @inline(__always)
    public func measured<each Argument, Result>(
        _ function: @escaping (repeat each Argument) -> Result
    ) -> (repeat each Argument) -> Result {
        { (argument: repeat each Argument) -> Result in measure { () -> Result in function(repeat each argument) } }
    }

    /// Wraps a throwing function of any number of arguments.
    @inlinable @inline(__always)
    public func measured<each Argument, Result>(
        _ function: @escaping (repeat each Argument) throws -> Result
    ) -> (repeat each Argument) throws -> Result {
        { (argument: repeat each Argument) throws -> Result in
            try measure { () throws -> Result in try function(repeat each argument) }
        }
    }

    /// Wraps an asynchronous function of no arguments; the recorded time includes suspensions.
    @inlinable @inline(__always)
    public func measured<Result>(
        _ function: nonisolated(nonsending) @escaping () async -> Result
    ) -> nonisolated(nonsending) () async -> Result {
        { () async -> Result in await measure { () async -> Result in await function() } }
    }

    /// Wraps an asynchronous throwing function of no arguments.
    @inlinable @inline(__always)
    public func measured<Result>(
        _ function: nonisolated(nonsending) @escaping () async throws -> Result
    ) -> nonisolated(nonsending) () async throws -> Result {
        { () async throws -> Result in try await measure { () async throws -> Result in try await function() } }
    }

    /// Wraps an asynchronous function of one argument.
    @inlinable @inline(__always)
    public func measured<A, Result>(
        _ function: nonisolated(nonsending) @escaping (A) async -> Result
    ) -> nonisolated(nonsending) (A) async -> Result {
        { (a: A) async -> Result in await measure { () async -> Result in await function(a) } }
    }

    /// Wraps an asynchronous throwing function of one argument.
    @inlinable @inline(__always)
    public func measured<A, Result>(
        _ function: nonisolated(nonsending) @escaping (A) async throws -> Result
    ) -> nonisolated(nonsending) (A) async throws -> Result {
        { (a: A) async throws -> Result in try await measure { () async throws -> Result in try await function(a) } }
    }

    /// Wraps an asynchronous function of two arguments.
    @inlinable @inline(__always)
    public func measured<A, B, Result>(
        _ function: nonisolated(nonsending) @escaping (A, B) async -> Result
    ) -> nonisolated(nonsending) (A, B) async -> Result {
        { (a: A, b: B) async -> Result in await measure { () async -> Result in await function(a, b) } }
    }

    /// Wraps an asynchronous throwing function of two arguments.
    @inlinable @inline(__always)
    public func measured<A, B, Result>(
        _ function: nonisolated(nonsending) @escaping (A, B) async throws -> Result
    ) -> nonisolated(nonsending) (A, B) async throws -> Result {
        { (a: A, b: B) async throws -> Result in
            try await measure { () async throws -> Result in try await function(a, b) }
        }
    }

    /// Wraps an asynchronous function of three arguments.
    @inlinable @inline(__always)
    public func measured<A, B, C, Result>(
        _ function: nonisolated(nonsending) @escaping (A, B, C) async -> Result
    ) -> nonisolated(nonsending) (A, B, C) async -> Result {
        { (a: A, b: B, c: C) async -> Result in await measure { () async -> Result in await function(a, b, c) } }
    }

    /// Wraps an asynchronous throwing function of three arguments.
    @inlinable @inline(__always)
    public func measured<A, B, C, Result>(
        _ function: nonisolated(nonsending) @escaping (A, B, C) async throws -> Result
    ) -> nonisolated(nonsending) (A, B, C) async throws -> Result {
        { (a: A, b: B, c: C) async throws -> Result in
            try await measure { () async throws -> Result in try await function(a, b, c) }
        }
    }
}
