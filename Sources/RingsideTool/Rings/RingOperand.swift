internal import Arguments
internal import Glibc
internal import RingReader

/// What a verb is to look at: a ring by its name, or a file that holds one.
enum RingOperand: Sendable {
    case name(RingName)
    /// A capture, or a plain copy of a ring.
    case file(String)

    static let captureSuffix = ".capture"
    static let help =
        "A ring such as alpha or alpha.md, or a capture or a ring's copy: a path with a /, or a name that ends in .capture"

    /// A path has a `/` in it or ends in `.capture`; everything else is a name.
    static let reader = ValueReader<RingOperand>(
        expecting:
            "a ring name such as alpha or alpha.md, or a file: a path with a / in it, or one that ends in .capture"
    ) { text in
        if text.contains("/") || text.hasSuffix(captureSuffix) { return .file(text) }
        return RingName(text).map { .name($0) }
    }

    /// Opens what is meant; of a file that is no capture its first bytes decide what is wrong with it.
    ///
    /// - Parameters:
    ///   - directory: Where rings lie that are meant by name.
    ///   - isSalvaging: As for `Segment`.
    func open(in directory: RingDirectory, isSalvaging: Bool) throws -> Segment {
        switch self {
        case .name(let name): try Self.open(name, in: directory, isSalvaging: isSalvaging)
        case .file(let path) where Capture.begins(path) || path.hasSuffix(Self.captureSuffix):
            try Capture(path: path).segment(isSalvaging: isSalvaging)
        case .file(let path): try Self.openCopy(path, isSalvaging: isSalvaging)
        }
    }

    static func open(_ name: RingName, in directory: RingDirectory, isSalvaging: Bool) throws -> Segment {
        do throws(RingError) {
            return try Segment(name: name, path: directory.path(of: name), isSalvaging: isSalvaging)
        } catch {
            if case .open(let path, ENOENT) = error { throw NoSuchRing(path: path) }
            throw error
        }
    }

    /// A copy may be called anything; its name is not asked for.
    static func openCopy(_ path: String, isSalvaging: Bool) throws(RingError) -> Segment {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        let name = RingDirectory.ringName(ofFile: file) ?? RingName("copy")!
        return try Segment(name: name, path: path, isSalvaging: isSalvaging)
    }
}

/// A name that no ring has, which is more often a slip of the hand than a fault of the machine.
struct NoSuchRing: Error, CustomStringConvertible {
    let path: String

    var description: String { "there is no ring \(path); 'ringside list' shows those that there are" }
}

/// A ring that changed under its reader as no producer changes it.
struct DamagedMeanwhile: Error, CustomStringConvertible {
    let path: String
    let damage: String

    var description: String { "\(path) cannot be relied on: \(damage)" }

    /// - Throws: An error of this type, where there is something wrong with the file since it was opened.
    static func check(_ segment: Segment) throws(DamagedMeanwhile) {
        guard let damage = segment.damage else { return }
        throw DamagedMeanwhile(path: segment.path, damage: damage)
    }
}
