/// A line of the emission table: a call, the subject that it emits through, and the work of its reader meanwhile.
struct EmissionEntry {
    enum Role {
        case floor
        case call
    }

    let name: String
    let role: Role
    let subject: UnsafePointer<Subject>
    /// The reader's duty while single calls are paced.
    let duty: Partner.Duty
    /// The reader's duty while calls follow one another.
    var loopDuty = Partner.Duty.parked
    /// Returns the ticks of one call in a loop.
    let loop: (Int) -> Double
    let paced: (UnsafeMutableBufferPointer<UInt32>, UInt64) -> Void
    let cold: (UnsafeMutableBufferPointer<UInt32>, UnsafeMutableBufferPointer<UInt64>) -> Void

    /// Makes an entry for a call. Always inlined, so that the drivers are specialised for the call.
    @inline(__always)
    init<Call: EmissionCall>(
        _ name: String, _ call: Call.Type, _ subject: UnsafePointer<Subject>, role: Role = .call,
        duty: Partner.Duty = .reading
    ) {
        self.name = name
        self.role = role
        self.subject = subject
        self.duty = duty
        loop = { CallDriver<Call>.loop(subject, count: $0) }
        paced = { CallDriver<Call>.paced(subject, into: $0, spacing: $1) }
        cold = { CallDriver<Call>.cold(subject, into: $0, walking: $1) }
    }

    /// Makes an entry for an asynchronous form of a span.
    init(async name: String, _ call: AsyncCall, _ subject: UnsafePointer<Subject>) {
        self.name = name
        role = .call
        self.subject = subject
        duty = .reading
        loop = { count in AsyncDriver.wait { await AsyncDriver.loop(call, subject, count: count) } }
        paced = { samples, spacing in
            AsyncDriver.wait { await AsyncDriver.paced(call, subject, into: samples, spacing: spacing) }
        }
        cold = { samples, walked in
            AsyncDriver.wait { await AsyncDriver.cold(call, subject, into: samples, walking: walked) }
        }
    }
}

extension EmissionEntry {
    /// Returns every call of the library, and the floors of the machine for the same work.
    static func all(_ subjects: Subjects) -> [EmissionEntry] {
        let live = UnsafePointer(subjects.live)
        var read = EmissionEntry("value_read", ValueCall.self, live)
        read.loopDuty = .reading
        return [
            EmissionEntry("empty_call", NothingCall.self, live, role: .floor, duty: .parked),
            EmissionEntry("stores", StoresFloor.self, live, role: .floor, duty: .parked),
            EmissionEntry("clock", ClockFloor.self, live, role: .floor, duty: .parked),
            EmissionEntry("two_clocks", TwoClocksFloor.self, live, role: .floor, duty: .parked),
            EmissionEntry("counter_floor", CounterFloor.self, live, role: .floor),
            EmissionEntry("counters_floor", CountersFloor.self, live, role: .floor),
            EmissionEntry("gauge_floor", GaugeFloor.self, live, role: .floor),
            EmissionEntry("value_floor", ValueFloor.self, live, role: .floor),
            EmissionEntry("lap_floor", LapFloor.self, live, role: .floor),
            EmissionEntry("span_floor", SpanFloor.self, live, role: .floor),
            EmissionEntry("counter", CounterCall.self, live),
            EmissionEntry("counters", CountersCall.self, live),
            EmissionEntry("gauge", GaugeCall.self, live),
            EmissionEntry("value", ValueCall.self, live),
            read,
            EmissionEntry("timed_value", TimedValueCall.self, live),
            EmissionEntry("lap", LapCall.self, live),
            EmissionEntry("span_closure", ClosureCall.self, live),
            EmissionEntry("span_token", TokenCall.self, live),
            EmissionEntry("span_manual", ManualCall.self, live),
            EmissionEntry(async: "span_async", .closure, live),
            EmissionEntry(async: "await_token", .awaitedByToken, live),
            EmissionEntry(async: "await_closure", .awaitedByClosure, live),
            EmissionEntry("disabled", ValueCall.self, UnsafePointer(subjects.disabled)),
            EmissionEntry("sampled_out", ValueCall.self, UnsafePointer(subjects.sampled)),
            EmissionEntry("lapped", ValueCall.self, UnsafePointer(subjects.lapped), duty: .parked),
            EmissionEntry("no_collector", ValueCall.self, UnsafePointer(subjects.unread), duty: .parked),
        ]
    }
}
