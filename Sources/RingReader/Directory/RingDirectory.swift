internal import CRingside
internal import Glibc

/// The directory that contains the rings.
package struct RingDirectory: Sendable, Hashable {
    package let path: String

    /// - Parameter path: Default: `RINGSIDE_DIR` in the environment, else `/dev/shm`.
    package init(path: String? = nil) {
        let variable = getenv("RINGSIDE_DIR").map { String(cString: $0) } ?? ""
        self.path = path ?? (variable.isEmpty ? RINGSIDE_DEFAULT_DIRECTORY : variable)
    }

    /// Returns the path of a ring's file.
    package func path(of name: RingName) -> String { "\(path)/\(RINGSIDE_FILE_PREFIX)\(name)" }

    /// Returns the ring name in a file name; nil for any other file.
    package static func ringName(ofFile file: String) -> RingName? {
        guard file.hasPrefix(RINGSIDE_FILE_PREFIX) else { return nil }
        return RingName(String(file.dropFirst(RINGSIDE_FILE_PREFIX.utf8.count)))
    }

    /// Returns the names of the rings in the directory, sorted. Files without a ring's name are ignored.
    ///
    /// - Throws: ``RingError/directory(path:errno:)``.
    package func ringNames() throws(RingError) -> [RingName] {
        try fileNames().compactMap { Self.ringName(ofFile: $0) }.sorted()
    }

    /// Returns all file names in the directory, in no order.
    ///
    /// - Throws: ``RingError/directory(path:errno:)``.
    package func fileNames() throws(RingError) -> [String] {
        guard let directory = opendir(path) else { throw .directory(path: path, errno: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}
