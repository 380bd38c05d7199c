internal import Drain
internal import Glibc
internal import Platform
internal import RingReader

/// Removes rings without an owner from a ring directory, and reports the outcome for every file there that looks like a
/// ring.
struct RingSweep {
    /// The outcome for a file.
    enum Outcome {
        /// It had no owner: it was removed, or would be in a dry run.
        case swept(Swept)
        /// A bot holds it, or attached meanwhile.
        case live
        /// Its owner ended less than `--older-than` ago.
        case young
        /// Its bot is down, and only closed rings are to be removed.
        case evidence
        /// It is not a ring of this version, for the given reason, and is left alone.
        case foreign(String)
        case failed(String)
        case vanished
    }

    struct Swept {
        enum Kind: String {
            case closed
            case down
            /// A ring that never got its name.
            case unfinished
        }

        let kind: Kind
        let ageSeconds: Double
        let bytes: Int
    }

    /// The prefix of a ring's name while the ring is made (CRingside, segment.c), and the time that this may take.
    private static let temporaryPrefix = ".ringside-new-"
    private static let temporaryLeastAgeSeconds = 60.0

    let directory: RingDirectory
    let olderThanSeconds: Double
    let isDryRun: Bool
    /// Whether to keep the rings of bots that are down, as evidence.
    let isClosedOnly: Bool

    /// Sweeps the directory once, in the order of names.
    func run() throws(RingError) -> [(file: String, outcome: Outcome)] {
        try directory.fileNames().sorted().compactMap { file in
            outcome(of: file).map { (file, $0) }
        }
    }

    /// Sweeps a file. Returns nil for a file that has nothing to do with rings.
    private func outcome(of file: String) -> Outcome? {
        let isTemporary = file.hasPrefix(Self.temporaryPrefix)
        guard isTemporary || file.hasPrefix("ringside.") else { return nil }
        guard isTemporary || RingDirectory.ringName(ofFile: file) != nil else {
            return .foreign("its name is no ring's")
        }
        let path = "\(directory.path)/\(file)"
        do throws(RingClaim.Refusal) {
            let claim = try RingClaim(path: path)
            return isTemporary ? sweepTemporary(claim) : sweepRing(claim, RingDirectory.ringName(ofFile: file)!)
        } catch {
            switch error {
            case .absent: return .vanished
            case .notAFile(let what): return .foreign(what)
            case .system(let number): return unopened(path, errno: number)
            }
        }
    }

    /// Returns the outcome for a file that cannot be opened for writing, such as another user's. This is no failure if
    /// a bot holds the file, or if it is not a ring.
    private func unopened(_ path: String, errno number: Int32) -> Outcome {
        do throws(RingError) {
            if try Segment(name: RingName("other")!, path: path, isSalvaging: true).isProducerAlive { return .live }
        } catch {
            if case .open = error {} else { return .foreign(error.description) }
        }
        var status = stat()
        let owner = lstat(path, &status) == 0 ? ", which is of uid \(status.st_uid)" : ""
        return .failed("cannot be claimed\(owner): \(String(cString: strerror(number))); run as its owner or as root")
    }

    private func sweepTemporary(_ claim: RingClaim) -> Outcome {
        let age = unixSeconds() - claim.modifiedSeconds
        guard age >= max(Self.temporaryLeastAgeSeconds, olderThanSeconds) else { return .young }
        return remove(claim, Swept(kind: .unfinished, ageSeconds: age, bytes: claim.bytes)) { true }
    }

    private func sweepRing(_ claim: RingClaim, _ name: RingName) -> Outcome {
        let segment: Segment
        do throws(RingError) {
            segment = try Segment(name: name, path: claim.path, isSalvaging: true)
        } catch {
            return claim.isHeld ? .live : .foreign(error.description)
        }
        guard claim.isFile(of: segment), !claim.isHeld else { return .live }
        let seen = segment.traces
        let now = segment.unixSeconds
        let age = max(0, segment.lastSignSeconds(before: now).map { now - $0 } ?? unixSeconds() - claim.modifiedSeconds)
        guard age >= olderThanSeconds else { return .young }
        let kind: Swept.Kind = ProducerState(of: segment) == .closed ? .closed : .down
        if isClosedOnly, kind == .down { return .evidence }
        return remove(claim, Swept(kind: kind, ageSeconds: age, bytes: claim.bytes)) { segment.traces == seen }
    }

    private func remove(_ claim: RingClaim, _ swept: Swept, if isStillWanted: () -> Bool) -> Outcome {
        if isDryRun { return claim.isHeld ? .live : .swept(swept) }
        switch claim.remove(if: isStillWanted) {
        case .removed: return .swept(swept)
        case .left: return .live
        case .failed(let number):
            return .failed("cannot be removed: \(String(cString: strerror(number))); run as its owner or as root")
        }
    }

    private func unixSeconds() -> Double { Double(unixNow()) / 1e9 }
}

extension Segment {
    /// The present time, by the wall clock as it was set when a bot last attached here. Within one boot it is counted
    /// on from there by CLOCK_MONOTONIC, so that setting the clock since then makes no ring older. All times in the
    /// ring are of that clock.
    fileprivate var unixSeconds: Double {
        guard let life = RecordContext(self).lives.last?.life, bootID == .ofThisBoot() else {
            return Double(unixNow()) / 1e9
        }
        let elapsed = Int64(bitPattern: UInt64(bitPattern: monotonicNow()) &- life.anchorMonotonicNanoseconds)
        // An anchor in the future is damage, so the wall clock is used.
        guard elapsed >= 0 else { return Double(unixNow()) / 1e9 }
        return Double(life.anchorUnixNanoseconds) / 1e9 + Double(elapsed) / 1e9
    }

    /// Values that change as soon as another bot attaches or writes.
    fileprivate var traces: [UInt64] { [lifeCount, geometry.producer.itemCount > 0 ? position : 0] }

    /// Returns when a bot was last active here, in seconds since the Unix epoch: the latest of its attach and of the
    /// times of its last records. Times later than now are damage and ignored. Returns nil if there is neither.
    fileprivate func lastSignSeconds(before now: Double) -> Double? {
        let context = RecordContext(self)
        let attach = context.lives.last.map { Double($0.life.anchorUnixNanoseconds) / 1e9 }
        return ([attach].compactMap { $0 } + lastRecordSeconds(context)).filter { $0 <= now + 1 }.max()
    }

    /// Returns the times of the last 4096 records at most. One of them has a time, or the bot writes none with a time.
    private func lastRecordSeconds(_ context: RecordContext) -> [Double] {
        guard geometry.producer.itemCount > 0 else { return [] }
        let head = position
        let from = max(oldestHeld(head: head), head - min(head, 4096))
        var times: [Double] = []
        var context = context
        forEachRecord(from: from, to: head) { _, content in
            guard let record = try? content.get(), let time = context.explain(record).unixNanoseconds else { return }
            times.append(Double(time) / 1e9)
        }
        return times
    }
}
