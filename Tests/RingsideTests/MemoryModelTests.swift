import TestSupport
import Testing

@Suite struct MemoryModelTests {
    /// Returns the labels in the sources: "Edge NAME, producer's end" and "Edge NAME, reader's end", or another
    /// party's.
    private func labels() -> [String: Set<String>] {
        var ends: [String: Set<String>] = [:]
        for file in Sources.files(under: "Sources")
        where file.hasSuffix(".swift") || file.hasSuffix(".c") || file.hasSuffix(".h") {
            let text = String(decoding: RingFile("\(Sources.root)/\(file)").bytes(), as: UTF8.self)
            for match in text.matches(of: /[Ee]dge:? ([A-Z_]{3,})(?:, ([a-z]+)'s end)?/) {
                ends[String(match.1), default: []].formUnion(match.2.map { [String($0)] } ?? [])
            }
        }
        return ends
    }

    @Test("every edge has both its ends in the sources, and its place in MEMORY_MODEL.md")
    func edges() {
        let document = String(
            decoding: RingFile("\(Sources.root)/Sources/CRingside/MEMORY_MODEL.md").bytes(), as: UTF8.self)
        let labels = labels()
        let names: Set = ["VERSION", "LIFE", "METRIC_LIFE", "REGISTER", "PUBLISH", "OVERWRITE", "CLOSE"]
        #expect(names.isSubset(of: labels.keys))
        for (name, ends) in labels {
            #expect(ends.count == 2, "edge \(name) has the ends \(ends)")
            #expect(document.contains("\n## \(name)\n"), "edge \(name) is not in MEMORY_MODEL.md")
        }
    }

    @Test("MEMORY_MODEL.md names functions that are there")
    func functions() {
        let document = String(
            decoding: RingFile("\(Sources.root)/Sources/CRingside/MEMORY_MODEL.md").bytes(), as: UTF8.self)
        let ends = document.matches(of: /`([A-Za-z_+]+\.(?:c|h|swift))` `([A-Za-z_]+)`/)
        #expect(ends.count >= 14)
        for end in ends {
            let file = Sources.files(under: "Sources").first { $0.hasSuffix("/\(end.1)") }
            let text = file.map { String(decoding: RingFile("\(Sources.root)/\($0)").bytes(), as: UTF8.self) }
            #expect(text?.contains(end.2) == true, "\(end.0)")
        }
    }
}
