import FoundationEssentials
import RingsideCatalogue
import Rules
import Series
import Testing

@testable import Configuration

/// Tests the file that shows the catalogue's instruments under other names.
@Suite struct OtherNamesTests {
    private static let path =
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/tools/monitoring/names.json5"

    private func rules() throws -> [MetricRule] {
        let contents = try Data(contentsOf: URL(filePath: Self.path))
        return try configuration(String(decoding: contents, as: UTF8.self)).metrics
    }

    @Test("each rule renames one instrument of the catalogue, no two into one name, and each with the right factor")
    func everyRule() throws {
        let rules = try rules()
        let names = TradingCatalogue.definitions.map(\.name)
        #expect(Set(rules.compactMap(\.rename)).count == rules.count && rules.count == 24)
        #expect(Set(rules.compactMap(\.rename)).isDisjoint(with: names))
        let heads = TradingCatalogue.definitions.enumerated().map { place, definition in
            SeriesHead(
                key: SeriesKey(name: definition.name, labels: []), kind: .gauge,
                unit: MetricUnit(suffixOf: definition.name) ?? .none, ordinal: UInt64(place))
        }
        let plan = MetricRules(rules).plan(heads)
        #expect(plan.hidden.isEmpty && plan.groups.count == heads.count)
        let renamed = plan.groups.filter { $0.members != [$0.key] }
        #expect(renamed.count == rules.count)
        for group in renamed {
            let name = try #require(group.members.first?.name)
            let factors: [(own: String, shown: String, factor: Double)] = [
                ("_seconds", "_ms", 1e3), ("_seconds", "_us", 1e6), ("_ratio", "_score", 1),
                ("_ratio", "_percent", 100),
                ("_bps", "_percent", 0.01), ("_usd_total", "_total_usd", 1), ("_bytes", "_mebibytes", 1.0 / 1_048_576),
            ]
            let expected = factors.first { name.hasSuffix($0.own) && group.key.name.hasSuffix($0.shown) }
            #expect(group.conversion.scale.factor == expected?.factor, "\(name) as \(group.key.name)")
        }
    }

    @Test("every duration, share and size of the catalogue has another name")
    func coverage() throws {
        let matched = Set(try rules().map(\.match.description))
        for definition in TradingCatalogue.definitions {
            let unit = MetricUnit(suffixOf: definition.name)
            let isRenamed = [.seconds, .ratio, .bytes, .bps].contains(unit)
            #expect(!isRenamed || matched.contains(definition.name), "\(definition.name)")
        }
    }
}
