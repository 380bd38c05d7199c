internal import Glibc
internal import Platform
internal import RingReader
internal import Series

/// The rings in the ring directory that are not read. Each is logged once for each reason.
struct SkippedRings {
    private var entries: [RingName: SkippedRing] = [:]
    private let directory: RingDirectory
    private let logger: Logger

    init(directory: RingDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    /// The skipped rings, sorted by name.
    var all: [SkippedRing] { entries.values.sorted { $0.ring < $1.ring } }

    /// Records that a ring is not read, and logs it if that is new.
    mutating func add(_ name: RingName, _ reason: SkippedRing.Reason, owner: UInt32?, _ detail: String) {
        guard record(name, reason, owner: owner, detail) else { return }
        var fields: [Logger.Field] = [("ring", "\(name)"), ("reason", .text(detail))]
        if let owner { fields.append(("owner_uid", .integer(Int64(owner)))) }
        logger.warn("ring not read", fields)
    }

    /// Records a ring of a user whose rings the collector does not read.
    mutating func add(_ name: RingName, foreignOwner owner: UInt32) {
        add(name, .owner, owner: owner, "owned by uid \(owner); add --ring-owner \(owner) to read it")
    }

    /// Records a ring that could not be opened.
    mutating func add(_ name: RingName, _ error: RingError) {
        var status = stat()
        let file = stat(directory.path(of: name), &status) == 0 ? status : nil
        let reason = error.skipReason
        guard reason == .mode, let file else {
            return add(name, reason, owner: file?.st_uid, error.description)
        }
        let mode = String(file.st_mode & 0o7777, radix: 8)
        add(
            name, reason, owner: file.st_uid,
            "owned by uid \(file.st_uid) with mode \(mode), which uid \(geteuid()) cannot open; "
                + "make it readable for the collector's user, or run the collector as uid \(file.st_uid)")
    }

    /// Records a ring whose bot is refused. It is not logged here: there may be very many, so the log names only one of
    /// them, elsewhere.
    mutating func add(_ name: RingName, overLimit maximumBots: Int) {
        _ = record(
            name, .limit, owner: nil,
            "there are \(maximumBots) bots, as many as max_bots allows; forget some that are gone, or raise max_bots")
    }

    private mutating func record(
        _ name: RingName, _ reason: SkippedRing.Reason, owner: UInt32?, _ detail: String
    ) -> Bool {
        let ring = SkippedRing(ring: name.description, reason: reason, owner: owner, detail: detail)
        return entries.updateValue(ring, forKey: name) != ring
    }

    /// Removes a ring that is read now.
    mutating func remove(_ name: RingName) { entries[name] = nil }

    /// Keeps only these rings: those that exist and are selected.
    mutating func keep(_ names: Set<RingName>) {
        guard !entries.isEmpty else { return }
        entries = entries.filter { names.contains($0.key) }
    }
}

extension RingError {
    /// The reason why a ring with this error is not read.
    var skipReason: SkippedRing.Reason {
        switch self {
        case .open(_, let number) where number == EACCES || number == EPERM: .mode
        case .open(_, let number) where number == ELOOP: .damaged
        case .directory, .open, .map, .unguarded: .system
        case .notARegularFile, .tooShort, .notARing, .geometry: .damaged
        case .unpublished: .unfinished
        case .foreignByteOrder, .otherVersion: .version
        }
    }
}
