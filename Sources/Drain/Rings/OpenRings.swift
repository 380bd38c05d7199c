internal import RingReader

/// The rings that are read, in the order in which they were opened, by name and by bot.
struct OpenRings {
    private(set) var all: [RingDrain] = []
    private var byName: [RingName: RingDrain] = [:]
    private var byBot: [String: [RingDrain]] = [:]

    func named(_ name: RingName) -> RingDrain? { byName[name] }

    func of(bot: String) -> [RingDrain] { byBot[bot] ?? [] }

    mutating func add(_ ring: RingDrain) {
        all.append(ring)
        byName[ring.segment.name] = ring
        byBot[ring.segment.name.bot, default: []].append(ring)
    }

    mutating func remove(_ ring: RingDrain) {
        let name = ring.segment.name
        all.removeAll { $0 === ring }
        if byName[name] === ring { byName[name] = nil }
        byBot[name.bot]?.removeAll { $0 === ring }
        if byBot[name.bot]?.isEmpty == true { byBot[name.bot] = nil }
    }

    mutating func remove(bot: String) {
        for ring in byBot.removeValue(forKey: bot) ?? [] { byName[ring.segment.name] = nil }
        all.removeAll { $0.segment.name.bot == bot }
    }
}
