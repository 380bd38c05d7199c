import Testing

@testable import Arguments

@Suite struct ProgressLineTests {
    /// A line whose clock the test sets.
    private final class Scene {
        var now: UInt64 = 1_000
        var drawn: [String] = []

        func line(
            _ unit: ProgressLine.Unit, from beginning: UInt64 = 0, isShown: Bool = true
        ) -> ProgressLine {
            ProgressLine(
                "ringside import", unit, from: beginning, isShown: isShown, clock: { self.now },
                draw: { self.drawn.append($0) })
        }

        func pass(milliseconds: UInt64) { now += milliseconds * 1_000_000 }
    }

    @Test("the line appears after a second, is drawn five times a second at most, and never where there is no terminal")
    func times() {
        let scene = Scene()
        let (line, hidden) = (scene.line(.bytes), scene.line(.bytes, isShown: false))
        for step in 0..<200 {
            line.show(UInt64(step / 2), of: 100)
            hidden.show(UInt64(step / 2), of: 100)
            scene.pass(milliseconds: 10)
        }
        #expect(scene.drawn.count == 5)
    }

    @Test("what is done, how much is left and the rate are in one unit, and the time left is in whole seconds")
    func words() {
        let scene = Scene()
        let second: UInt64 = 1_000_000_000
        #expect(
            scene.line(.bytes).line(1_000_000_000, of: 2_500_000_000, elapsedNanoseconds: 4 * second)
                == "ringside import: 40 %, 1.0 of 2.5 GB, 250.0 MB/s, 6s left")
        #expect(
            scene.line(.bytes, from: 4_000_000).line(4_500_000, of: 5_000_000, elapsedNanoseconds: second)
                == "ringside import: 90 %, 4.5 of 5.0 MB, 500.0 kB/s, 1s left")
        #expect(
            scene.line(.things("rows")).line(1, of: 1000, elapsedNanoseconds: 2 * second)
                == "ringside import: 0 %, 1 of 1000 rows, 0 rows/s, 34m left")
        #expect(
            scene.line(.time).line(30 * second, of: 60 * second, elapsedNanoseconds: 2 * second)
                == "ringside import: 50 %, 30.0 of 60.0 s, 15.0 times as fast as recorded, 2s left")
        #expect(
            scene.line(.bytes).line(512_000, of: nil, elapsedNanoseconds: second)
                == "ringside import: 512.0 kB, 512.0 kB/s")
    }

    @Test("work that is more than was expected, or goes back, or has no size has a line all the same")
    func odd() {
        let scene = Scene()
        for (total, beginning, done) in [
            (0, 0, 5), (10, 0, 11), (10, 9, 3), (.max, 0, .max), (.max, .max, 0), (1, 0, 0),
        ] as [(UInt64, UInt64, UInt64)] {
            for unit in [.bytes, .things("rows"), .time] as [ProgressLine.Unit] {
                for elapsed in [0, 1, .max] as [UInt64] {
                    let text = scene.line(unit, from: beginning).line(done, of: total, elapsedNanoseconds: elapsed)
                    #expect(text.hasPrefix("ringside import: ") && text.count < 200, "\(text)")
                }
            }
        }
    }
}
