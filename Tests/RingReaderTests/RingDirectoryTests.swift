import RingReader
import TestSupport
import Testing

@Suite struct RingDirectoryTests {
    @Test("rings are found by their names, and other files are passed over")
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

    @Test("a directory that is not there is an error that says how to mend it")
    func missing() {
        let error = #expect(throws: RingError.self) { try RingDirectory(path: "/nowhere/at/all").ringNames() }
        #expect(error?.description.contains("--ring-dir") == true)
    }
}
