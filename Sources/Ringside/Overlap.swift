public import CRingside

extension UnsafeMutablePointer<ringside_producer> {
    /// Runs one emit. A debug build traps if another thread is inside an emit of the same ring, because two producers
    /// on one ring lose records silently. An actor may hop threads from one emit to the next; only an overlap is wrong.
    @inlinable @inline(__always)
    func exclusively<Result>(_ emit: (UnsafeMutablePointer<ringside_producer>) -> Result) -> Result {
        #if DEBUG
            if ringside_enter(self) == 0 { trapOverlap(self) }
            defer { ringside_leave(self) }
        #endif
        return emit(self)
    }
}

@usableFromInline
func trapOverlap(_ producer: UnsafeMutablePointer<ringside_producer>) -> Never {
    fatalError(
        """
        two threads emit through ring \(String(cString: ringside_path(producer))) at once: a ring has one producer; \
        attach a lane for each thread or actor
        """)
}
