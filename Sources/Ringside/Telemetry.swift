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
/// **Its end.** ``close()`` detaches; calls on instruments do nothing afterwards. If a handle is merely dropped, its
/// instruments go on working until the process ends or attaches the same ring again. The reason is that Swift may end
/// the handle's life early: before an endless loop, or before a call that never returns, that does not mention it. A
/// process that returns from `main` or calls `exit` closes its rings. A process that a signal kills does not, and
/// counts as crashed: see ``closeOnTermination()``.
public struct Telemetry: ~Copyable {
    @usableFromInline
    let producer: UnsafeMutablePointer<ringside_producer>

    /// Attaches to ring `name` and starts a life in it. A dead producer's ring is resumed, unless
    /// ``AttachOptions/mode`` is ``AttachOptions/Mode/fresh``; otherwise a new ring is made.
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

    /// Attaches, or returns a disabled handle: a bot must trade even if the ring directory is full or missing.
    ///
    /// Registering checks names on a disabled handle too, and throws for an invalid name. If that must not end the bot
    /// either: `(try? telemetry.counter("ticks_total", help: "Ticks.")) ?? .disabled`.
    ///
    /// - Parameters:
    ///   - name: As for ``attach(_:options:)``.
    ///   - options: As for ``attach(_:options:)``.
    ///   - report: Called once with the error when the handle returned is a disabled one. Default: writes the error to
    ///     standard error.
    public static func attachOrDisabled(
        _ name: String, options: AttachOptions = AttachOptions(),
        report: (AttachError) -> Void = { $0.printToStandardError() }
    ) -> Telemetry {
        do {
            return try attach(name, options: options)
        } catch {
            report(error)
            return disabled()
        }
    }

    /// Returns a handle without a ring: every call through it costs a load and a branch, and does nothing.
    public static func disabled() -> Telemetry {
        Telemetry(producer: ringside_inert())
    }

    private init(producer: UnsafeMutablePointer<ringside_producer>) {
        self.producer = producer
    }

    deinit {
        ringside_drop(producer)
    }

    /// Whether a ring receives the emitted records.
    public var isAttached: Bool { ringside_is_attached(producer) != 0 }

    /// The path of the ring's file; nil for a disabled handle.
    public var path: String? { isAttached ? String(cString: ringside_path(producer)) : nil }

    /// An option that could not be granted at attach, with what to do about it; nil if all were granted.
    public var warning: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            ringside_warning(producer, buffer.baseAddress, buffer.count) > 0
                ? String(cString: buffer.baseAddress!) : nil
        }
    }

    /// Ends the life: marks a clean close and frees the name for the next producer. The file stays for later
    /// inspection. Afterwards the instruments do nothing, and neither does a second close. Call it on the ring's
    /// thread.
    public func close() { ringside_detach(producer) }

    /// Makes SIGTERM, SIGINT and SIGHUP mark every ring of this process as closed before they end it, so that a stop by
    /// a service manager or by Ctrl-C does not count as a crash. For a bot that handles no signals itself: only a
    /// signal whose action is the default one gets the handler. The process still ends by that signal. A handler that
    /// the bot installs later replaces it. Any thread may call it.
    ///
    /// - Returns: The number of the three signals that have the handler now.
    @discardableResult
    public static func closeOnTermination() -> Int { Int(ringside_close_on_termination()) }

    /// Marks every ring of this process as closed, for a bot's own signal handler that ends the process by `_exit`. May be called
    /// in a signal handler (signal-safety(7)).
    ///
    /// - Returns: False if the interrupted thread was attaching or closing, so that nothing could be marked.
    @discardableResult
    public static func markAllClosed() -> Bool { ringside_mark_all_closed() != 0 }

    /// Returns the time now, in ticks of this ring's clock, as the start of a duration that is measured by hand. 10 ns.
    @inlinable @inline(__always)
    public func now() -> Instant { Instant(ticks: ringside_now(producer)) }

    /// Starts a stopwatch: each stage of a chain ends where the next begins, at one clock read a stage.
    @inlinable @inline(__always)
    public func stopwatch() -> Stopwatch { Stopwatch(producer: producer) }
}
