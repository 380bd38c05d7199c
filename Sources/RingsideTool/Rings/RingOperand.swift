internal import Arguments
internal import Glibc
internal import Platform
internal import RingReader
internal import Spelling

/// A verb's operand: a ring by its name, or a file that holds a ring.
enum RingOperand: Sendable {
    case name(RingName)
    /// A capture, or a plain copy of a ring.
    case file(String)

    static let captureSuffix = ".capture"
    static let help =
        "A ring such as alpha or alpha.md, or a capture or a ring's copy: a path with a /, or a name that ends in .capture"

    /// Reads a text with a `/` in it, or that ends in `.capture`, as a path, and every other text as a name.
    static let reader = ValueReader<RingOperand>(
        expecting:
            "a ring name such as alpha or alpha.md, or a file: a path with a / in it, or one that ends in .capture"
    ) { text in
        if text.contains("/") || text.hasSuffix(captureSuffix) { return .file(text) }
        return RingName(text).map { .name($0) }
    }.naming(.rings, .files)

    /// Opens the operand. A file that begins like a capture, or has a capture's suffix, is opened as a capture, any
    /// other file as a copy of a ring. That decides which error is reported.
    ///
    /// - Parameters:
    ///   - directory: The directory of rings given by name.
    ///   - isSalvaging: As for `Segment`.
    func open(in directory: RingDirectory, isSalvaging: Bool) throws -> Segment {
        switch self {
        case .name(let name): try Self.open(name, in: directory, isSalvaging: isSalvaging)
        case .file(let path) where Capture.begins(path) || path.hasSuffix(Self.captureSuffix):
            try Self.openCapture(path).segment(isSalvaging: isSalvaging)
        case .file(let path): try Self.openCopy(path, isSalvaging: isSalvaging)
        }
    }

    static func open(_ name: RingName, in directory: RingDirectory, isSalvaging: Bool) throws -> Segment {
        do throws(RingError) {
            return try Segment(name: name, path: directory.path(of: name), isSalvaging: isSalvaging)
        } catch {
            if case .open(_, ENOENT) = error {
                try refuseFile(named: name)
                throw NoSuchName.ring(name, in: directory)
            }
            throw error
        }
    }

    /// Refuses a name that is also a file of the current folder.
    ///
    /// - Throws: ``FileError`` if there is such a file.
    static func refuseFile(named name: RingName) throws(FileError) {
        guard access("\(name)", F_OK) == 0 else { return }
        throw FileError("\(name) is no ring, but a file of this folder: name it ./\(name)")
    }

    static func openCapture(_ path: String) throws -> Capture {
        try checkIsThere(path)
        return try Capture(path: path)
    }

    /// Opens a copy of a ring. A copy may have any name, so its name is not checked.
    static func openCopy(_ path: String, isSalvaging: Bool) throws -> Segment {
        try checkIsThere(path)
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        let name = RingDirectory.ringName(ofFile: file) ?? RingName("copy")!
        return try Segment(name: name, path: path, isSalvaging: isSalvaging)
    }

    private static func checkIsThere(_ path: String) throws(NoSuchName) {
        if access(path, F_OK) != 0, errno == ENOENT { throw .file(path) }
    }
}

/// An error: a ring changed under its reader in a way that no producer changes it.
struct DamagedMeanwhile: Error, CustomStringConvertible {
    let path: String
    let damage: String

    var description: String { "\(path) cannot be relied on: \(damage)" }

    /// - Throws: An error of this type, if the file was damaged since it was opened.
    static func check(_ segment: Segment) throws(DamagedMeanwhile) {
        guard let damage = segment.damage else { return }
        throw DamagedMeanwhile(path: segment.path, damage: damage)
    }
}
