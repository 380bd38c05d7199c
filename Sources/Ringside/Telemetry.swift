public import CRingside

/// A bot's end of one ring: attach once, register instruments, emit.
///
/// ```swift
/// let telemetry = try Telemetry.attach("alpha")
/// let ticks = try telemetry.counter("ticks_received_total", help: "Ticks that arrived.")
/// let decide = try telemetry.durationHistogram("decide_seconds", help: "From a tick to a decision.")
/// ticks.increment()
/// decide.measure { strategy.decide() }
/// ```
///
/// **Thread rule.** A ring has one producer: one thread or one actor at a time writes through this handle and the
/// instruments made from it. It is not `Sendable`; hand it over whole, as a `consuming sending` parameter, before any
/// instrument is made. A bot with several threads attaches a lane for each (`alpha.md`, `alpha.orders`).
///
/// **Cost.** Attaching takes some 5 ms: it reserves and fills the pages, and calibrates the clock. Emitting never
/// allocates, locks, blocks, throws or calls the system.
///
/// **Its end.** ``close()`` detaches: what instruments do afterwards does nothing. A handle that is merely dropped leaves
/// its instruments working until the process ends, which is a clean close too, or attaches the same ring again: Swift ends
/// a handle's life before a loop without end, or a call that never returns, that does not mention it.
public struct Telemetry: ~Copyable {
    @usableFromInline
    let producer: UnsafeMutablePointer<ringside_producer>

    /// Attaches to ring `name` and starts a life in it: a dead producer's ring goes on (unless ``AttachOptions/mode``
    /// says ``AttachOptions/Mode/fresh``), else a new ring is made.
    ///
    /// With `RINGSIDE=off` in the environment the handle is a disabled one, and nothing fails.
    ///
    /// - Parameters:
    ///   - name: The bot's name, letters, digits, `_` and `-`, optionally with a dot and a lane: `alpha`, `alpha.md`; at
    ///     most 64 bytes.
    ///   - options: Directory, capacities, constant labels; the defaults suit most bots.
    /// - Throws: ``AttachError``, which says what to do about it.
    public static func attach(_ name: String, options: AttachOptions = AttachOptions()) throws(AttachError) -> Telemetry
    {
        var producer: UnsafeMutablePointer<ringside_producer>? = nil
        var failure = ringside_error()
        let code = options.withCOptions { cOptions in
            withCText(name) { cName in
                withUnsafePointer(to: cOptions) { ringside_attach(cName, $0, &producer, &failure) }
            }
        }
        guard code == 0, let producer else { throw AttachError(failure) }
        return Telemetry(producer: producer)
    }

    /// Attaches, or goes on without telemetry: a bot must trade even where the ring directory is full or missing.
    ///
    /// - Parameters:
    ///   - name: As for ``attach(_:options:)``.
    ///   - options: As for ``attach(_:options:)``.
    ///   - report: Called once with the error when the handle returned is a disabled one.
    public static func attachOrDisabled(
        _ name: String, options: AttachOptions = AttachOptions(), report: (AttachError) -> Void
    ) -> Telemetry {
        do {
            return try attach(name, options: options)
        } catch {
            report(error)
            return disabled()
        }
    }

    /// A handle without a ring: every call through it costs a load and a branch, and does nothing.
    public static func disabled() -> Telemetry {
        Telemetry(producer: ringside_inert())
    }

    private init(producer: UnsafeMutablePointer<ringside_producer>) {
        self.producer = producer
    }

    deinit {
        ringside_drop(producer)
    }

    /// Whether there is a ring that takes what is emitted.
    public var isAttached: Bool { ringside_is_attached(producer) != 0 }

    /// The path of the ring's file; nil for a disabled handle.
    public var path: String? { isAttached ? String(cString: ringside_path(producer)) : nil }

    /// What was asked at attach and could not be had, with what to do about it; nil where all is as asked.
    public var warning: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            ringside_warning(producer, buffer.baseAddress, buffer.count) > 0
                ? String(cString: buffer.baseAddress!) : nil
        }
    }

    /// Ends the life: marks a clean close and frees the name for the next producer. The file stays, for those who look at
    /// it afterwards.
    public consuming func close() {
        ringside_detach(producer)
        discard self
    }

    /// Now, in ticks of this ring's clock, for a start that is taken by hand. 10 ns.
    @inlinable @inline(__always)
    public func now() -> Instant { Instant(ticks: ringside_now(producer)) }

    /// A stopwatch that starts now: each stage of a chain ends where the next begins, at one clock read a stage.
    @inlinable @inline(__always)
    public func stopwatch() -> Stopwatch { Stopwatch(producer: producer) }
}
