internal import Arguments
internal import Glibc
internal import RingReader

/// Errors for rings and files that do not exist.
extension NoSuchName {
    static func ring(_ name: RingName, in directory: RingDirectory) -> NoSuchName {
        let rings = names(in: directory)
        return NoSuchName(
            "there is no ring \(directory.path(of: name))", "\(name)", among: rings.map { "\($0)" },
            or: rings.map(\.bot),
            nothing: "nor any other ring in its directory; start the bot, or name its directory with --ring-dir")
    }

    /// Returns the error for a name that is neither a capture of this folder nor a ring.
    static func captureOrRing(_ name: RingName, in directory: RingDirectory) -> NoSuchName {
        let captures = captures(in: ".")
        return NoSuchName(
            "there is no capture file or ring '\(name)': no file \(name)\(RingOperand.captureSuffix) in \(currentFolder), and "
                + "no ring \(directory.path(of: name))",
            near: nearest("\(name)", captures, or: names(in: directory).map { "\($0)" }),
            among: captures + names(in: directory).map { "\($0)" }, nothing: "nor any other of either")
    }

    /// Returns the error for a path at which there is no file.
    static func file(_ path: String) -> NoSuchName {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, file) = (String(path[..<end]), String(path[end...]))
        let captures = captures(in: folder.isEmpty ? "." : folder)
        return NoSuchName(
            "there is no file \(file) in \(folder.isEmpty ? currentFolder : folder.count > 1 ? String(folder.dropLast()) : folder)",
            near: nearest(file, captures).map { folder + $0 }, among: captures.map { folder + $0 },
            nothing: "nor any capture")
    }

    /// Returns the name most likely meant. A capture may be named without its suffix.
    private static func nearest(_ name: String, _ captures: [String], or others: [String] = []) -> String? {
        let stems = captures.map { String($0.dropLast(RingOperand.captureSuffix.count)) }
        guard let near = name.nearest(among: captures + stems + others) else { return nil }
        return stems.firstIndex(of: near).map { captures[$0] } ?? near
    }

    private static func names(in directory: RingDirectory) -> [RingName] { (try? directory.ringNames()) ?? [] }

    private static func captures(in folder: String) -> [String] {
        let files = (try? RingDirectory(path: folder).fileNames()) ?? []
        return files.filter { $0.hasSuffix(RingOperand.captureSuffix) && $0 != RingOperand.captureSuffix }.sorted()
    }

    private static var currentFolder: String {
        guard let path = getcwd(nil, 0) else { return "this folder" }
        defer { free(path) }
        return String(cString: path)
    }
}
