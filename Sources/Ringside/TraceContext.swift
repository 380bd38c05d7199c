public import CRingside

/// A trace and the parent of the next span in it.
///
/// A trace that begins in this bot is made by ``Telemetry/trace(_:)`` from a number, such as an order's. A trace that
/// comes from another program is read from its `traceparent` (W3C Trace Context, https://www.w3.org/TR/trace-context/).
/// Inside a span, ``TraceSpan/context`` is the context for what the span calls. The ``traceparent`` of this context
/// goes to the next program.
///
/// A value of 40 bytes. Any thread may make one, keep it and pass it on; no member but ``traceparent`` allocates.
@frozen
public struct TraceContext: Sendable {
    @usableFromInline var trace: ringside_trace

    @inlinable
    init(_ trace: ringside_trace) { self.trace = trace }

    /// The absence of a trace: records in it are written like all others.
    @inlinable
    public static var none: TraceContext { TraceContext(ringside_trace()) }

    /// Reads the value of a `traceparent` header, as the recommendation defines it: version 00 exactly, and of a later
    /// version the known part. Of the flags, ``isSampled`` is kept. 35 ns; allocates nothing if the text is a native
    /// Swift string.
    ///
    /// - Parameter traceparent: The value, without white space around it:
    ///   `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    /// - Throws: ``TraceparentError``. In this case begin a trace of the bot's own, as the recommendation says.
    public init(traceparent: String) throws(TraceparentError) {
        var text = traceparent
        var trace = ringside_trace()
        let code = text.withUTF8 { bytes in Self.parse(UnsafeRawBufferPointer(bytes), &trace) }
        guard code == 0 else { throw TraceparentError(code) }
        self.init(trace)
    }

    /// Reads the value of a `traceparent` header in place, from a received buffer.
    ///
    /// - Parameter traceparent: The value's bytes, without white space around them.
    /// - Throws: ``TraceparentError``.
    public init(traceparent: UnsafeRawBufferPointer) throws(TraceparentError) {
        var trace = ringside_trace()
        let code = Self.parse(traceparent, &trace)
        guard code == 0 else { throw TraceparentError(code) }
        self.init(trace)
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, _ trace: inout ringside_trace) -> Int32 {
        guard let base = bytes.baseAddress else { return Int32(RINGSIDE_TRACEPARENT_LENGTH.rawValue) }
        return ringside_traceparent_parse(base.assumingMemoryBound(to: CChar.self), bytes.count, &trace)
    }

    /// The `traceparent` for the next program, 55 characters of version 00. It is nil if there is no trace, or no span
    /// that could be the parent: take the context of a span. Allocates the string; ``write(traceparent:)`` does not.
    public var traceparent: String? {
        withUnsafeTemporaryAllocation(byteCount: Int(RINGSIDE_TRACEPARENT_BYTES), alignment: 1) { buffer in
            let count = write(traceparent: buffer)
            return count == 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    /// Writes the `traceparent` for the next program into a message that the caller builds. 19 ns.
    ///
    /// - Parameter buffer: Room for 55 bytes; no NUL is added.
    /// - Returns: 55; 0 if there is nothing to pass on, as for ``traceparent``, or too little room.
    public func write(traceparent buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Int(RINGSIDE_TRACEPARENT_BYTES)
        guard buffer.count >= count else { return 0 }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { text in
            var trace = trace
            guard ringside_traceparent_format(&trace, text.baseAddress!) == count else { return 0 }
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: text.baseAddress!, count: count))
            return count
        }
    }

    /// The high and the low half of the trace's id; both are 0 without a trace.
    @inlinable public var traceID: (high: UInt64, low: UInt64) { (trace.id_high, trace.id_low) }

    /// The id of the next span's parent; 0 if there is none.
    @inlinable public var parentID: UInt64 { trace.parent_id }

    /// Whether the trace came from another program.
    @inlinable public var isRemote: Bool { trace.remote_id != 0 }

    /// The sampled flag: whether the calling program may have recorded the trace. Without the flag, records of the
    /// trace count in every metric and show in `ringside tail`, but the collector sends no spans of it and makes no
    /// exemplars. The flag goes on to the next program as it came. A trace that begins here has the flag, until it is
    /// set to false.
    @inlinable public var isSampled: Bool {
        get { trace.flags & UInt32(RINGSIDE_TRACE_SAMPLED) != 0 }
        set { trace.flags = newValue ? UInt32(RINGSIDE_TRACE_SAMPLED) : 0 }
    }

    /// The `trace:` argument for a call without a context, so that its record belongs to this trace too. If the trace
    /// came from another program, call ``Telemetry/note(_:)`` first, in each lane.
    @inlinable public var word: UInt64 { trace.id_low != 0 ? trace.id_low : trace.id_high }
}

extension TraceContext: Hashable {
    public static func == (a: TraceContext, b: TraceContext) -> Bool {
        a.traceID == b.traceID && a.parentID == b.parentID && a.trace.remote_id == b.trace.remote_id
            && a.trace.flags == b.trace.flags
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(trace.id_high)
        hasher.combine(trace.id_low)
        hasher.combine(trace.parent_id)
    }
}

/// The reason why a `traceparent` is refused.
@frozen
public enum TraceparentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text does not have 55 bytes. For a version after 00: it has fewer, or no dash after the 55th.
    case length
    /// The version is ff, which is invalid.
    case version
    /// A character is not a lower-case hexadecimal digit, or a dash is missing.
    case form
    case zeroTraceID
    case zeroParentID

    init(_ code: Int32) {
        switch UInt32(code) {
        case RINGSIDE_TRACEPARENT_VERSION.rawValue: self = .version
        case RINGSIDE_TRACEPARENT_FORM.rawValue: self = .form
        case RINGSIDE_TRACEPARENT_ZERO_TRACE.rawValue: self = .zeroTraceID
        case RINGSIDE_TRACEPARENT_ZERO_PARENT.rawValue: self = .zeroParentID
        default: self = .length
        }
    }

    public var description: String {
        let wrong =
            switch self {
            case .length: "its length is wrong"
            case .version: "its version is ff"
            case .form: "a character in it is no lower-case hexadecimal digit, or a dash is missing"
            case .zeroTraceID: "its trace id is 0"
            case .zeroParentID: "its parent id is 0"
            }
        return "a traceparent is 00-, 32 digits, -, 16 digits, - and 2 digits: \(wrong); begin a trace of your own"
    }
}

extension Telemetry {
    /// Begins a trace in this bot. `number` is the low half of its id. The high half is random; it is the same for all
    /// lanes of the bot in this process, for as long as one of them is attached. 1 ns.
    ///
    /// - Parameter number: A number that tells the trace from the bot's others, such as an order's number; 0 is no
    ///   trace. Records that carry it as `trace:` belong to the same trace.
    public func trace(_ number: UInt64) -> TraceContext { TraceContext(ringside_trace_make(producer, number)) }

    /// Records in this ring where a trace came from. Call it once a context, in each lane that writes records with
    /// ``TraceContext/word``; records that are made `in:` a context need no call. 2 ns; does nothing for a trace that
    /// began here.
    ///
    /// - Returns: Whether the context is in the ring. It is not if the trace began here, or before a histogram is
    ///   registered.
    @discardableResult
    public func note(_ context: TraceContext) -> Bool {
        var trace = context.trace
        return producer.exclusively { ringside_trace_context($0, &trace) != 0 }
    }
}
