internal import Glibc
internal import RingReader

/// Changes the control words of rings, and the host-wide switch, and reports the result.
struct ControlOperation {
    /// The result for one ring.
    struct Outcome {
        let ring: RingName
        /// Nil if the ring could not be opened.
        let segment: Segment?
        /// The number of metrics selected.
        var selected = 0
        /// The number of words that changed, including the default for later metrics.
        var changed = 0
        /// Why the change failed; nil if it did not.
        var failure: String?
    }

    let directory: RingDirectory
    let change: ControlChange
    /// Empty: all metrics, and those registered later.
    let metrics: [MetricSelector]

    /// The number of attempts, for a bot that moves to a larger ring meanwhile.
    private static let tries = 8

    /// Changes the control words of a ring, and tries again while its bot moves to a larger one.
    func apply(to ring: RingName) -> Outcome {
        for _ in 0..<Self.tries {
            do {
                if let outcome = try applyOnce(ring) { return outcome }
            } catch {
                return Outcome(ring: ring, segment: nil, failure: "\(error)")
            }
        }
        return Outcome(ring: ring, segment: nil, failure: "it was replaced again and again; try again")
    }

    /// Changes the control words of a ring once. Returns nil if the ring was replaced meanwhile.
    private func applyOnce(_ ring: RingName) throws -> Outcome? {
        let segment = try RingOperand.open(ring, in: directory, isSalvaging: false)
        var outcome = Outcome(ring: ring, segment: segment)
        let selected = indexes(in: segment)
        outcome.selected = selected.count
        guard !change.isNothing else { return outcome }
        do throws(ControlError) {
            let controls = try RingControls(segment)
            outcome.changed = metrics.isEmpty ? controls.changeAll(change) : controls.change(change, metrics: selected)
            if !controls.isStillNamed { return nil }
        } catch {
            if case .replaced = error, segment.damage == nil { return nil }
            outcome.failure = explain(error)
        }
        if let damage = segment.damage { outcome.failure = "\(segment.path) cannot be relied on: \(damage)" }
        return outcome
    }

    private func indexes(in segment: Segment) -> [Int] {
        let all = 0..<segment.metricCount
        if metrics.isEmpty { return Array(all) }
        return all.filter { index in
            segment.metric(index).map { metric in metrics.contains { $0.matches(metric) } } ?? false
        }
    }

    private func explain(_ error: ControlError) -> String {
        switch error {
        case .notWritable(let path, let owner, let number):
            "\(path) cannot be opened for writing: \(answer(number))" + (owner.map { "; " + mending($0) } ?? "")
        case .sharedPages(let path):
            "\(path): its control words share pages with other parts of the ring, which this tool does not open for writing"
        case .replaced(let path): "\(path) was replaced while it was opened; try again"
        case .map(let path, let number): "\(path) cannot be mapped for writing: \(answer(number))"
        case .unguarded(let path): RingError.unguarded(path: path).description
        }
    }

    /// Returns which user may change the ring, and how to run as that user.
    private func mending(_ owner: UInt32) -> String {
        if owner == geteuid() { return "you own it: chmod u+w it" }
        let name = userName(owner)
        return
            "it belongs to \(name.map { "\($0) (uid \(owner))" } ?? "uid \(owner)"), and only its owner and "
            + "root may change it: run sudo -u \(name ?? "'#\(owner)'") ringside control"
    }
}

extension HostSwitch.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .foreign(let path, let owner):
            "\(path) belongs to \(userName(owner).map { "\($0) (uid \(owner))" } ?? "uid \(owner)"): only that user and "
                + "root may change it; nothing was changed"
        case .system(let path, let number): "\(path) cannot be set: \(answer(number)); nothing was changed"
        }
    }
}

/// Returns the login name of a user; nil if the system knows none.
func userName(_ id: UInt32) -> String? {
    var entry = passwd()
    var result: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getpwuid_r(id, &entry, &buffer, buffer.count, &result) == 0, result != nil else { return nil }
    return String(cString: entry.pw_name)
}

private func answer(_ number: Int32) -> String { String(cString: strerror(number)) }
