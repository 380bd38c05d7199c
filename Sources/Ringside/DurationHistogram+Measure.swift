public import CRingside

/// Measures closures, synchronous and asynchronous. A body that throws is recorded as failed: its duration is in the
/// percentiles, and failures are also counted apart.
extension DurationHistogram {
    /// Runs `body` and records how long it took. Costs 20 ns, nearly all of it for the two clock reads.
    @discardableResult @inlinable @inline(__always)
    public func measure<Result: ~Copyable, Failure: Error>(
        trace: UInt64 = 0, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = begin(trace)
        do throws(Failure) {
            let result = try body()
            end(span, failed: false)
            return result
        } catch {
            end(span, failed: true)
            throw error
        }
    }

    /// Runs an asynchronous `body` in the caller's context, without a hop, and records how long it took, suspensions
    /// included.
    ///
    /// The ring's producer may emit other things meanwhile, because an actor's jobs interleave and do not overlap.
    /// Errors are rethrown untyped: today's compiler cannot build a generic typed error of an asynchronous closure.
    @discardableResult @inlinable @inline(__always)
    public nonisolated(nonsending) func measure<Result>(
        trace: UInt64 = 0, _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        let span = begin(trace)
        do {
            let result = try await body()
            end(span, failed: false)
            return result
        } catch {
            end(span, failed: true)
            throw error
        }
    }

    /// Does the same as ``measure(trace:_:)``, and also returns how long `body` took, in ticks.
    @inlinable @inline(__always)
    public func measureTicks<Result, Failure: Error>(
        trace: UInt64 = 0, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, ticks: UInt64) {
        let span = begin(trace)
        do throws(Failure) {
            let result = try body()
            return (result, end(span, failed: false))
        } catch {
            end(span, failed: true)
            throw error
        }
    }
}
