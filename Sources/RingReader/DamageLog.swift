/// Something in a segment that no producer writes: where it is, what is there, and what was expected.
package struct Damage: Equatable, Sendable {
    package enum Area: Int, Sendable, CaseIterable {
        case header, lives, producer, control, metrics, cells, records

        package var name: String {
            switch self {
            case .header: "header"
            case .lives: "lives"
            case .producer: "producer line"
            case .control: "control"
            case .metrics: "metrics"
            case .cells: "cells"
            case .records: "records"
            }
        }
    }

    package let area: Area
    /// Such as `record 17 (slot 1)`.
    package let place: String
    package let problem: String
}

/// Collects damage. Keeps the first findings of each area and counts all, so that a destroyed ring of a million records
/// does not fill a terminal.
package struct DamageLog: Sendable {
    /// How many findings of one area are kept.
    package static let keptPerArea = 20

    package private(set) var kept: [Damage] = []
    private var counts = [Int](repeating: 0, count: Damage.Area.allCases.count)

    package init() {}

    package var count: Int { counts.reduce(0, +) }

    /// How many findings of an area were not kept.
    package func unkept(_ area: Damage.Area) -> Int { max(0, counts[area.rawValue] - Self.keptPerArea) }

    package mutating func add(
        _ area: Damage.Area, _ place: @autoclosure () -> String, _ problem: @autoclosure () -> String
    ) {
        counts[area.rawValue] += 1
        guard counts[area.rawValue] <= Self.keptPerArea else { return }
        kept.append(Damage(area: area, place: place(), problem: problem()))
    }
}
