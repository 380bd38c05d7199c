import RingReader
import TestSupport
import Testing

@Suite struct RingDirectoryTests {
    @Test("rings are found by their names, and other files are ignored")
    func names() throws {
        let directory = TemporaryRingDirectory()
        for file in [
            "ringside.beta", "ringside.alpha.md", "ringside.alpha", "ringside.", "ringside.a.b.c", "other",
            "ringside.al pha", "ringside.-x", ".ringside-new-0123456789abcdef", "ringside.alpha.marker.x",
            "ringside.\u{301}",
        ] {
            RingFile.make("\(directory.path)/\(file)", [])
        }
        let found = try RingDirectory(path: directory.path).ringNames()
        #expect(found.map(\.description) == ["alpha", "alpha.md", "beta"])
        #expect(RingDirectory(path: directory.path).path(of: found[1]) == directory.ring("alpha.md"))
    }

    @Test("a missing directory is an error that says how to fix it")
    func missing() {
        let error = #expect(throws: RingError.self) { try RingDirectory(path: "/nowhere/at/all").ringNames() }
        #expect(error?.description.contains("--ring-dir") == true)
    }
}
