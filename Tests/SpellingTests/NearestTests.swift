import Spelling
import Testing

@Suite struct NearestTests {
    @Test(
        "a misspelt name finds the intended one, and an unrelated name finds none",
        arguments: [
            ("intervall", "interval"), ("inetrval", "interval"), ("nterval", "interval"), ("interva1", "interval"),
            ("itervall", "interval"), ("ur", "url"), ("rul", "url"), ("takes", "take"), ("colour", nil), ("u", nil),
            ("uxy", nil), ("", nil),
        ])
    func nearest(written: String, meant: String?) {
        #expect(written.nearest(among: ["url", "take", "interval", "queue"]) == meant)
    }

    @Test("of two equally near names the first in the alphabet is taken")
    func ties() {
        #expect("schemo".nearest(among: ["schemb", "schema"]) == "schema")
    }
}
