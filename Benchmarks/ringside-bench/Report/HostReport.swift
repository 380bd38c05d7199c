internal import JSON
internal import Exposition

extension JSONWriter {
    /// Writes `"host": {…}`.
    mutating func host(_ host: Host, roundTrip: Rounds? = nil) {
        member(
            "host",
            object: {
                $0.member("processor", host.processor)
                $0.member("processors", host.processors)
                $0.member("kernel", host.kernel)
                $0.member("clocksource", host.clocksource)
                $0.member("governor", host.governor)
                $0.member("swift", host.swift)
                $0.member("clang", host.clang)
                $0.member("commit", host.commit)
                if let roundTrip {
                    $0.member(
                        "round_trip_ns",
                        object: {
                            $0.member("median", roundTrip.median)
                            $0.member("least", roundTrip.least)
                            $0.member("greatest", roundTrip.greatest)
                        })
                }
            })
    }
}

extension Host {
    /// Two lines that stand above every table.
    var lines: String {
        """
        \(processors) x \(processor), Linux \(kernel), clocksource \(clocksource), governor \(governor)
        Swift \(swift), commit \(commit.map { String($0.prefix(12)) } ?? "unknown")

        """
    }
}
