internal import Drain
internal import RingReader
internal import Rules

/// One decoded entry of a state. Its name identifies it in the file.
enum StateItem {
    case ring(RingState)
    case bot(BotState)
    case series(CheckpointedSeries)
    case levels(CheckpointedLevels)
    case changes(CheckpointedChanges)
    case objective(ObjectiveState)
    case alert(AlertState)
    case silence(Silence)
    case process(BotProcessState)
    case gone(GoneState)
    /// A ring that still exists, of a bot that was forgotten.
    case forgotten(RingState)
    /// Rings that have ended.
    case past([Segment.Identifier])

    /// The first word of an entry's name.
    enum Kind: String {
        case ring, bot, series, changes, levels, objective, alert, silence, process, gone, forgotten, past

        /// Returns the kind of the entry with that name; nil if it is unknown.
        init?(ofEntry name: String) { self.init(rawValue: String(name.prefix { $0 != " " })) }
    }

    static func name(_ kind: Kind, _ words: String...) -> String {
        ([kind.rawValue] + words).joined(separator: " ")
    }

    var name: String {
        switch self {
        case .ring(let ring): Self.name(.ring, ring.name.description)
        case .bot(let bot): Self.name(.bot, bot.name)
        case .series(let series): Self.name(.series, series.bot, series.key)
        case .levels(let levels): Self.name(.levels, levels.bot, levels.key)
        case .changes(let changes): Self.name(.changes, changes.name.bot, "\(changes.name.number)")
        case .objective(let objective): Self.name(.objective, objective.bot, objective.objective)
        case .alert(let alert): Self.name(.alert, alert.snapshot.bot, alert.snapshot.alert)
        case .silence(let silence): Self.name(.silence, "\(silence.number)")
        case .process(let process): Self.name(.process, process.bot)
        case .gone(let gone): Self.name(.gone, gone.bot)
        case .forgotten(let ring): Self.name(.forgotten, ring.name.description)
        case .past: Self.name(.past)
        }
    }

    /// The bot to which the entry belongs; nil if it belongs to none.
    var bot: String? {
        switch self {
        case .ring(let ring): ring.name.bot
        case .bot(let bot): bot.name
        case .series(let series): series.bot
        case .levels(let levels): levels.bot
        case .changes(let changes): changes.name.bot
        case .objective(let objective): objective.bot
        case .alert(let alert): alert.snapshot.bot
        case .process(let process): process.bot
        case .gone(let gone): gone.bot
        case .silence, .forgotten, .past: nil
        }
    }

    var bytes: [UInt8] {
        var encoder = StateEncoder()
        switch self {
        case .ring(let ring): encoder.write(ring)
        case .bot(let bot): encoder.write(bot)
        case .series(let series): encoder.write(series)
        case .levels(let levels): encoder.write(levels)
        case .changes(let changes): encoder.write(changes)
        case .objective(let objective): encoder.write(objective)
        case .alert(let alert): encoder.write(alert)
        case .silence(let silence): encoder.write(silence)
        case .process(let process): encoder.write(process)
        case .gone(let gone): encoder.write(gone)
        case .forgotten(let ring): encoder.write(ring)
        case .past(let rings): encoder.write(rings) { $0.write($1) }
        }
        return encoder.bytes
    }

    /// Decodes an entry. Checks all of it, since it may be damaged.
    ///
    /// - Throws: ``StateDamage``.
    init(_ entry: StateDatabase.Entry) throws {
        var decoder = StateDecoder(try StateFormat.opened(name: entry.name, entry.value))
        switch Kind(ofEntry: entry.name) {
        case .ring: self = .ring(try decoder.ring())
        case .bot: self = .bot(try decoder.bot())
        case .series: self = .series(try decoder.series())
        case .levels: self = .levels(try decoder.levels())
        case .changes: self = .changes(try decoder.changes())
        case .objective: self = .objective(try decoder.objective())
        case .alert: self = .alert(try decoder.alert())
        case .silence: self = .silence(try decoder.silence())
        case .process: self = .process(try decoder.process())
        case .gone: self = .gone(try decoder.gone())
        case .forgotten: self = .forgotten(try decoder.ring())
        case .past: self = .past(try decoder.array { try $0.identifier() })
        case nil: throw StateDamage("the entry \(entry.name.debugDescription) is of no known kind")
        }
        guard decoder.isAtEnd else { throw StateDamage("the entry \(entry.name.debugDescription) is too long") }
        guard name == entry.name else {
            throw StateDamage("the entry \(entry.name.debugDescription) holds \(name.debugDescription)")
        }
    }
}
