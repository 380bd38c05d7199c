import Glibc
import RingReader
import TestSupport
import Testing

/// An operator changes control words while a bot whose table is full moves to a larger ring. The bot is stopped at each step of
/// the move, and the result is compared with that of the same changes in a ring that nobody replaces.
@Suite struct ControlledGrowthTests {
    private let directory = TemporaryRingDirectory()

    /// The steps of a move at which the bot is stopped, in their order.
    private static let steps = ["counted", "created", "carried", "published", "moved"]

    /// What the operator's tool does.
    struct Operation: CustomTestStringConvertible, Sendable {
        /// The step at which it opens the ring, and that at which it stores.
        let opensAt: Int
        let storesAt: Int
        /// The metric whose word it changes; nil for all, and those registered later.
        let metric: Int?
        let samplingN: UInt32

        var testDescription: String {
            let time = opensAt == storesAt ? steps[storesAt] : "\(steps[opensAt]) to \(steps[storesAt])"
            return "\(metric.map { "metric \($0)" } ?? "all") at \(time)"
        }
    }

    struct Scene: CustomTestStringConvertible, Sendable {
        let operations: [Operation]
        var testDescription: String { operations.map(\.testDescription).joined(separator: ", ") }

        /// Two changes at any two steps.
        static let pairs: [Scene] = steps.indices.flatMap { first in
            steps.indices[first...].flatMap { second in
                [(nil, nil), (nil, 1), (0, nil), (0, 1), (2, 2)].map { (metrics: (Int?, Int?)) in
                    Scene(operations: [
                        Operation(opensAt: first, storesAt: first, metric: metrics.0, samplingN: 5),
                        Operation(opensAt: second, storesAt: second, metric: metrics.1, samplingN: 7),
                    ])
                }
            }
        }

        /// A change that takes more than one step.
        static let slow: [Scene] = steps.indices.flatMap { first in
            steps.indices[(first + 1)...].flatMap { second in
                [nil, 3].map {
                    Scene(operations: [Operation(opensAt: first, storesAt: second, metric: $0, samplingN: 9)])
                }
            }
        }
    }

    @Test(
        "a ring that grows has every change of an operator, whatever step it came at",
        arguments: Scene.pairs + Scene.slow)
    func growing(scene: Scene) throws {
        let table = ["capacity=16", "metrics=4"]
        try #require(try BotProgram.run("register", "alpha", table + ["old=3"], in: directory) == .code(0))
        let bot = try BotProgram.start("register", "alpha", table + ["more=1", "stops=grow."], in: directory)
        var words = [UInt32](repeating: 1, count: 4)
        var later: UInt32 = 1
        var changes = 0
        var opened: [Int: (Segment, RingControls)] = [:]
        for step in Self.steps.indices {
            try bot.waitForStop()
            for (index, operation) in scene.operations.enumerated() {
                if operation.opensAt == step { opened[index] = try open() }
                guard operation.storesAt == step else { continue }
                var (segment, controls) = opened.removeValue(forKey: index)!
                Self.apply(operation, to: controls, of: segment)
                if !controls.isStillNamed {
                    (segment, controls) = try open()
                    Self.apply(operation, to: controls, of: segment)
                }
                let before = words + [later]
                for metric in words.indices where operation.metric ?? metric == metric {
                    words[metric] = operation.samplingN
                }
                if operation.metric == nil { later = operation.samplingN }
                changes += zip(before, words + [later]).count { $0 != $1 }
            }
            bot.send(SIGCONT)
        }
        #expect(try bot.wait() == .code(0), "\(bot.standardOutput)")
        let segment = try directory.segment()
        #expect(segment.metricCount == 5)
        #expect((0..<5).map { segment.controlWord($0).samplingN } == words + [later])
        #expect(segment.defaultControlWord.samplingN == later)
        // A change that went into both rings is counted twice: a collector takes that for a change it did not see.
        let isInBoth = scene.operations.contains { $0.opensAt != $0.storesAt }
        #expect(isInBoth ? segment.controlChanges >= changes : segment.controlChanges == changes)
    }

    private func open() throws -> (Segment, RingControls) {
        let segment = try directory.segment()
        return (segment, try RingControls(segment))
    }

    private static func apply(_ operation: Operation, to controls: RingControls, of segment: Segment) {
        let change = ControlChange(samplingN: operation.samplingN)
        if let metric = operation.metric {
            _ = controls.change(change, metrics: [metric])
        } else {
            _ = controls.changeAll(change)
        }
    }
}
