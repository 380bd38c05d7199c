import Sketch
import TestSupport
import Testing

@testable import Series

/// Tests the series in checkpoints: the whole of each at intervals, and in between the changes.
@Suite struct SeriesChangeTests {
    private typealias Kept = (state: SeriesState, number: UInt64)

    /// A bot of three histograms in two lanes, whose records have all encodings.
    private struct Scene {
        var random: SeededGenerator
        let bot = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
        var instruments: [LaneMetric] = []
        var now: Int64 = 0
        private var perUnit = 1e-9

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            for name in ["md", "oms"] {
                let lane = bot.lane(name)
                lane.isUp = true
                for (metric, unit) in [("a_seconds", MetricUnit.seconds), ("b", .none), ("c_seconds", .seconds)] {
                    let metric = MetricDescriptor(name: metric, help: "", kind: .histogram, unit: unit, labels: [])
                    instruments.append(try #require(lane.register(metric, isCurrent: true)))
                }
            }
        }

        mutating func move() {
            now += random.number(0...3 * second)
            bot.advance(to: now)
            if random.chance(0.2) {
                perUnit = Double(random.number(1...3)) * 1e-9
                for instrument in instruments { instrument.recorder?.records.beginEpoch(valuePerUnit: perUnit) }
            }
            if random.chance(0.02) {
                let edges = [0.0025, Double(random.number(1...100)) / 1e4]
                bot.hold(to: [], edges: { name, _ in name == "a_seconds" ? edges : nil })
                // A choice of edges alone changes no total, so it is stored with the next record.
                instruments[0].recorder?.records.insert(value: 1, timeNanoseconds: now)
            }
        }

        mutating func insert() {
            guard let records = instruments.randomElement(using: &random)?.recorder?.records else { return }
            let time = now - random.number(0...90 * second) / (random.chance(0.9) ? 1000 : 1)
            let weight: UInt32 = random.chance(0.1) ? random.number(2...5) : 1
            let failed = random.chance(0.1)
            switch random.number(0...3) {
            case 0:
                records.insert(
                    units: random.number(0...10_000_000), timeNanoseconds: time, weight: weight, failed: failed)
            case 1:
                records.insert(
                    nanoseconds: random.number(0...10_000_000), timeNanoseconds: time, weight: weight, failed: failed)
            default:
                let odd = [0, -1.5, 0.0025, 0.0025.nextUp, 1e300, -1e-300, .infinity].randomElement(using: &random)!
                let value = random.chance(0.2) ? odd : random.normal() * 0.01
                records.insert(value: value, timeNanoseconds: time, weight: weight, failed: failed)
            }
        }
    }

    private func fold(
        _ updates: [(key: String, update: SeriesUpdate)], _ number: UInt64, _ kept: inout [String: Kept]
    ) {
        for (key, update) in updates {
            switch update {
            case .whole(let state): kept[key] = (state, number)
            case .change(let change): kept[key]?.state.add(change)
            }
        }
    }

    @Test("The last whole state of a series with the changes after it is its state now", arguments: 0..<8)
    func folding(seed: Int) throws {
        var scene = try Scene(seed: UInt64(seed))
        var kept: [String: Kept] = [:]
        var changeCount = 0
        for number in 1...UInt64(200) {
            scene.move()
            for _ in 0..<scene.random.number(0...(scene.random.chance(0.1) ? 400 : 25)) { scene.insert() }
            let updates = scene.bot.takeUpdates(number: number, all: scene.random.chance(0.02))
            changeCount += updates.count { if case .change = $0.update { true } else { false } }
            fold(updates, number, &kept)
            for (key, series) in scene.bot.ordered where kept[series.checkpointKey(key)] != nil {
                let state = series.state(name: key.name, labels: key.labels)
                #expect(kept[series.checkpointKey(key)]?.state == state, "checkpoint \(number) \(key.name)")
            }
        }
        #expect(changeCount > 50 && kept.count == 3)
    }

    @Test("No change is older than the longest run of changes when its series is kept as a whole again")
    func expiry() throws {
        var scene = try Scene(seed: 99)
        var oldestChange: [String: UInt64] = [:]
        for number in 1...UInt64(400) {
            // There are no records for long. Earlier changes must be stored as a whole all the same.
            if number % 97 < 5 { for _ in 0..<6 { scene.insert() } }
            for (key, update) in scene.bot.takeUpdates(number: number, all: false) {
                switch update {
                case .whole: oldestChange[key] = nil
                case .change: oldestChange[key] = oldestChange[key] ?? number
                }
            }
            for (key, oldest) in oldestChange {
                #expect(number - oldest < SeriesUpdate.longestRunOfChanges, "\(key) at \(number)")
            }
        }
    }
}
