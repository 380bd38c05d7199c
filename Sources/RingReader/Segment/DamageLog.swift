/// A finding in a segment that no producer writes: its place, what was found and what was expected.
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
    /// The place, such as `record 17 (slot 1)`.
    package let place: String
    package let problem: String
}

/// A collection of damage. It keeps the first findings of each area and counts all, so that a destroyed ring of a
/// million records does not fill a terminal.
package struct DamageLog: Sendable {
    /// The number of findings that are kept of each area.
    package static let keptPerArea = 20

    package private(set) var kept: [Damage] = []
    private var counts = [Int](repeating: 0, count: Damage.Area.allCases.count)

    package init() {}

    package var count: Int { counts.reduce(0, +) }

    /// Returns how many findings of an area were not kept.
    package func unkept(_ area: Damage.Area) -> Int { max(0, counts[area.rawValue] - Self.keptPerArea) }

    package mutating func add(
        _ area: Damage.Area, _ place: @autoclosure () -> String, _ problem: @autoclosure () -> String
    ) {
        counts[area.rawValue] += 1
        guard counts[area.rawValue] <= Self.keptPerArea else { return }
        kept.append(Damage(area: area, place: place(), problem: problem()))
    }
}
