import CRingside
import Glibc
import RingReader
import TestSupport
import Testing

/// The rings of every declared version, whole and damaged. They must be read as when they were made.
@Suite struct VectorTests {
    private static let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Vectors"

    private static func names(in folder: String, ending suffix: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(suffix) { names.append("\(folder)/\(name.dropLast(suffix.count))") }
        }
        return names.sorted()
    }

    /// The paths of all versions' vectors, without their suffix.
    private static let vectors = ["1.0", "1.1"].flatMap { names(in: "\(folder)/\($0)", ending: ".gz") }

    @Test("the version of this program has its vectors, of every kind of ring and damage")
    func present() {
        let own = "\(Self.folder)/\(RINGSIDE_ABI_MAJOR).\(RINGSIDE_ABI_MINOR)/"
        let names = Self.vectors.filter { $0.hasPrefix(own) }.map { String($0.dropFirst(own.count)) }
        #expect(names.count >= 40)
        for name in ["whole", "full", "lapped", "lives", "sampled", "minor-newer-and-larger", "major-2", "slots-torn"] {
            #expect(names.contains(name), "\(name)")
        }
    }

    @Test("every ring is read as it was on the day when it was made", arguments: vectors)
    func reading(vector: String) throws {
        let image = try #require(GzipFile.read("\(vector).gz"))
        let expected = String(decoding: RingFile("\(vector).txt").bytes(), as: UTF8.self)
        let directory = TemporaryRingDirectory()
        RingFile.make(directory.ring("vector"), image)
        let lines = expected.split(separator: "\n")
        let found = RingReading(path: directory.ring("vector")).lines
        #expect(found.count == lines.count)
        for (line, expected) in zip(found, lines) { #expect(line == expected) }
        #expect(!lines.isEmpty)
    }
}
