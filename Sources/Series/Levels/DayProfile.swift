/// The values of a figure at each time of earlier days: the lowest and the highest reading of each half hour, for the
/// last five working days, the last three Saturdays and the last three Sundays. Days and half hours are those of UTC.
///
/// Memory: only half hours of the day with readings take any, 20 bytes each on working days. At most 1 KB for working
/// days, and 600 bytes each for Saturdays and Sundays.
struct DayProfile: Sendable, Equatable {
    /// The kinds of days. Only days of one kind are compared.
    enum DayKind: Int, CaseIterable, Sendable {
        case working, saturday, sunday

        /// The number of stored days of the kind.
        var slotCount: Int { self == .working ? 5 : 3 }

        /// The number of known days that suffices for the profile alone to define the usual range.
        var neededDays: Int { self == .working ? 3 : 2 }
    }

    /// One half hour of one day.
    struct HalfHour: Sendable, Equatable {
        var low: Int16
        var high: Int16
    }

    static let halfHourSeconds: Int64 = 1800
    static let halfHoursOfDay = 48
    private static let secondsOfDay: Int64 = 86_400
    /// The age in days beyond which a profile no longer applies.
    private static let lifetimeDays: Int64 = 30
    /// The `low` of a half hour that is not known.
    private static let unknown = Int16.min

    /// By kind.
    private var days = DayKind.allCases.map { Days(slotCount: $0.slotCount) }
    /// The last day that was added to, in days since the Unix epoch.
    private(set) var lastDay: Int64?

    init() {}

    /// - Returns: Nil if the numbers cannot be those of a profile.
    init?(bounds: [[Int16]], lastDay: Int64?) {
        guard bounds.count == DayKind.allCases.count else { return nil }
        for kind in DayKind.allCases {
            guard let known = Days(slotCount: kind.slotCount, bounds: bounds[kind.rawValue]) else { return nil }
            days[kind.rawValue] = known
        }
        self.lastDay = lastDay
    }

    /// The content for a checkpoint: the low and the high of each slot of each half hour, by kind. Empty for a kind
    /// without readings.
    var storedBounds: [[Int16]] { days.map(\.allBounds) }

    /// Returns the number, since the Unix epoch, of the half hour that contains a time.
    static func halfHour(at unixSeconds: Int64) -> Int64 { unixSeconds.intervalNumber(width: halfHourSeconds) }

    /// Returns the kind of day, the half hour of the day, the slot and the day of a half hour.
    private static func place(_ halfHour: Int64) -> (kind: DayKind, ofDay: Int, slot: Int, day: Int64) {
        let day = halfHour.intervalNumber(width: Int64(halfHoursOfDay))
        let ofDay = Int(halfHour - day * Int64(halfHoursOfDay))
        // 1 January 1970 was a Thursday; weeks begin on Sunday here.
        let week = (day + 4).intervalNumber(width: 7)
        let weekday = Int(day + 4 - week * 7)
        switch weekday {
        case 0: return (.sunday, ofDay, Int(week - week.intervalNumber(width: 3) * 3), day)
        case 6: return (.saturday, ofDay, Int(week - week.intervalNumber(width: 3) * 3), day)
        default: return (.working, ofDay, weekday - 1, day)
        }
    }

    /// Stores the readings of a half hour that is over, in place of the oldest day's.
    mutating func note(_ half: HalfHour, at halfHour: Int64) {
        let (kind, ofDay, slot, day) = Self.place(halfHour)
        if let lastDay, (day - lastDay).magnitude > UInt64(Self.lifetimeDays) { self = DayProfile() }
        lastDay = max(lastDay ?? day, day)
        days[kind.rawValue].set(half, ofDay: ofDay, slot: slot)
    }

    /// Returns the readings of a half hour on earlier days of its kind.
    ///
    /// - Returns: The days, and the number of days that define the usual range alone.
    func earlierDays(at halfHour: Int64) -> (days: [HalfHour], needed: Int) {
        let (kind, ofDay, _, day) = Self.place(halfHour)
        guard let lastDay, (day - lastDay).magnitude <= UInt64(Self.lifetimeDays) else { return ([], kind.neededDays) }
        return (days[kind.rawValue].known(ofDay: ofDay), kind.neededDays)
    }

    /// Returns the readings of all half hours on earlier days of the same kind as the day of a half hour.
    func wholeDays(at halfHour: Int64) -> [HalfHour] {
        let known = days[Self.place(halfHour).kind.rawValue]
        return (0..<Self.halfHoursOfDay).flatMap(known.known(ofDay:))
    }

    /// Memory in bytes, without the allocator's overhead.
    var allocatedBytes: Int { days.reduce(0) { $0 + $1.allocatedBytes } }
}

extension DayProfile {
    /// The readings of the days of one kind.
    private struct Days: Sendable, Equatable {
        private let slotCount: Int
        /// The number of each half hour's row, from 1; 0 if the half hour has no readings. Empty until one has.
        private var rowNumbers: [UInt8] = []
        /// The rows: the low and the high of each slot.
        private var rows: [Int16] = []

        init(slotCount: Int) { self.slotCount = slotCount }

        /// - Parameter bounds: The numbers of ``allBounds``.
        /// - Returns: Nil if the numbers cannot be bounds.
        init?(slotCount: Int, bounds: [Int16]) {
            self.slotCount = slotCount
            guard bounds.isEmpty || bounds.count == halfHoursOfDay * slotCount * 2 else { return nil }
            for index in stride(from: 0, to: bounds.count, by: 2) where bounds[index] != unknown {
                let half = HalfHour(low: bounds[index], high: bounds[index + 1])
                guard half.low <= half.high else { return nil }
                set(half, ofDay: index / 2 / slotCount, slot: index / 2 % slotCount)
            }
        }

        /// The low and the high of each slot of each half hour of the day; empty if none is known.
        var allBounds: [Int16] {
            guard !rowNumbers.isEmpty else { return [] }
            let nothing = Array(repeating: unknown, count: slotCount * 2)[...]
            return (0..<halfHoursOfDay).flatMap { row(ofDay: $0) ?? nothing }
        }

        private func row(ofDay: Int) -> ArraySlice<Int16>? {
            guard !rowNumbers.isEmpty, rowNumbers[ofDay] > 0 else { return nil }
            let end = Int(rowNumbers[ofDay]) * slotCount * 2
            return rows[end - slotCount * 2..<end]
        }

        /// Returns the readings of a half hour of the day, one for each day that has any.
        func known(ofDay: Int) -> [HalfHour] {
            guard let row = row(ofDay: ofDay) else { return [] }
            return stride(from: row.startIndex, to: row.endIndex, by: 2).compactMap {
                row[$0] == unknown ? nil : HalfHour(low: row[$0], high: row[$0 + 1])
            }
        }

        mutating func set(_ half: HalfHour, ofDay: Int, slot: Int) {
            if rowNumbers.isEmpty { rowNumbers = Array(repeating: 0, count: halfHoursOfDay) }
            if rowNumbers[ofDay] == 0 {
                rows.reserveCapacity(rows.count + slotCount * 2)
                rows.append(contentsOf: repeatElement(unknown, count: slotCount * 2))
                rowNumbers[ofDay] = UInt8(rows.count / (slotCount * 2))
            }
            let index = (Int(rowNumbers[ofDay]) - 1) * slotCount * 2 + slot * 2
            rows[index] = max(half.low, unknown + 1)
            rows[index + 1] = max(half.high, unknown + 1)
        }

        var allocatedBytes: Int { rowNumbers.capacity + rows.capacity * MemoryLayout<Int16>.stride }

        static func == (a: Days, b: Days) -> Bool { a.allBounds == b.allBounds }
    }
}
