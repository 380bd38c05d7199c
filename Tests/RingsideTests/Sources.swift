import Glibc

/// The folder of this package, for tests that read its sources or compile them.
enum Sources {
    static let root: String = {
        let words = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return words.dropLast(3).joined(separator: "/")
    }()

    /// Returns every file below a folder of the package, by its path from the root.
    static func files(under folder: String) -> [String] {
        guard let directory = opendir("\(root)/\(folder)") else { return [folder] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { found += files(under: "\(folder)/\(name)") }
        }
        return found.sorted()
    }

    /// Returns whether a program of this name is found where a shell would find it.
    static func isInstalled(_ program: String) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
