internal import Configuration
internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// Which rings there are, and which bots they make up.
///
/// A ring comes when its file appears and goes when its file is gone and its producer too. A file replaced by another
/// under the same name is drained to its end before its successor is opened; the totals of both are the lane's.
final class RingRegistry: BotRegistry {
    var rings: [RingDrain] = [] {
        didSet { knownIndex = nil }
    }
    private var knownIndex: RingIndex?
    var bots: [String: BotAccount] = [:]
    /// Rings that an earlier collector read, as it left them, and that were not seen since.
    var absent: [RingName: RingState] = [:]
    /// Whether that collector may have shown more than it kept.
    var mayHaveShownMore = false
    /// Whether an earlier collector's state was taken up.
    var isResumed = false
    /// The time of day of the turn, in seconds since the Unix epoch.
    var unixSeconds: Double
    /// What of an earlier state was not taken, and when that was found, in seconds since the Unix epoch.
    var begunAnew: (setAside: StateSetAside, unixSeconds: Double)?
    /// Rings that others had replaced when this collector came.
    var superseded: [RingName] = []
    /// Rings that could not be opened, with what was said of it, so that it is said once.
    var refused: [RingName: String] = [:]
    /// How many rings may keep a descriptor; the others are read without.
    let descriptorBound: Int
    /// Whether it was said that some are.
    var hasSaidBound = false
    var past = PastRings()
    /// Rings that lie there, of bots that were forgotten.
    var forgotten = ForgottenRings()
    /// How long bots have been gone.
    var gone = GoneBots()
    /// How many bots and series there may be, and when those that are gone are forgotten.
    var limits = BotLimits()
    let budget = SeriesBudget(limit: BotLimits().maximumSeriesTotal)
    /// Bots whose rings lie there and for which there is no room.
    var refusedBots: Set<String> = []
    var hasSaidRefused = (bots: false, series: false)
    /// Bots forgotten since the beginning, and the names of those since the rules were told.
    var forgottenCount: UInt64 = 0
    var forgottenNames: [String] = []
    /// Series of bots that were forgotten, since the last checkpoint.
    var droppedSeries: [Checkpoint.Removed] = []
    var nextForgetting: MonotonicTime = 0
    /// Rings whose file was damaged: not read again whatever its header says now. Kept open, so that the file's number stays
    /// its own.
    var quarantined: [Segment] = []
    /// Rings whose file lost its name while their bot lives, so that it is said once.
    var unlinked: Set<Segment.Identifier> = []
    /// Rings whose name another has taken while their bot lives.
    var displaced = DisplacedRings()
    /// The processes of the bots that live.
    var processes = ProcessMonitor()
    let directory: RingDirectory
    var filter: RingFilter
    let calibration: any TickScaleSource
    let time: TimeSource
    let options: SeriesOptions
    let logger: Logger
    let startedUnixNanoseconds: UInt64
    let startedMonotonicNanoseconds: UInt64
    let traces: TraceExchange?
    /// What records did that are older than the windows; nil where nobody keeps minutes.
    let late: LateMinutes?
    var objectives: [ObjectiveDefinition] = []
    var metricRules: [MetricRule] = []
    /// How the exports show every bot, and since when.
    var shown = (rules: MetricRules(), sinceUnixSeconds: 0.0)
    var nextCheck: MonotonicTime = 0
    var nextSample: MonotonicTime = 0

    /// How often the locks and files of the rings are looked at: a dead bot's gauges leave within 2 s.
    static let checkIntervalNanoseconds: Int64 = 250_000_000

    init(
        directory: RingDirectory, filter: RingFilter, calibration: any TickScaleSource, options: SeriesOptions,
        logger: Logger, time: TimeSource, startedUnixNanoseconds: Int64, startedMonotonicNanoseconds: Int64,
        traces: TraceExchange? = nil, late: LateMinutes? = nil, descriptorBound: Int = .max
    ) {
        self.time = time
        self.descriptorBound = descriptorBound
        self.traces = traces
        self.late = late
        self.directory = directory
        self.filter = filter
        self.calibration = calibration
        self.options = options
        self.logger = logger
        self.startedUnixNanoseconds = UInt64(clamping: startedUnixNanoseconds)
        unixSeconds = Double(startedUnixNanoseconds) * 1e-9
        self.startedMonotonicNanoseconds = UInt64(clamping: startedMonotonicNanoseconds)
    }

    /// The rings by bot and by name, made anew only when one has come or gone.
    var index: RingIndex {
        if let knownIndex { return knownIndex }
        let index = RingIndex(rings)
        knownIndex = index
        return index
    }

    struct RingIndex {
        let byBot: [String: [RingDrain]]
        let byName: [RingName: RingDrain]

        init(_ rings: [RingDrain]) {
            byBot = Dictionary(grouping: rings) { $0.segment.name.bot }
            byName = Dictionary(rings.map { ($0.segment.name, $0) }) { first, _ in first }
        }
    }

    func bot(_ name: String, now: MonotonicTime) -> BotAccount {
        let bot = bots[name] ?? BotAccount(name: name, options: options, now: now, budget: budget)
        if bots.updateValue(bot, forKey: name) == nil {
            bot.series.late = late
            if let begunAnew, begunAnew.setAside.begins(anew: name) {
                bot.series.leastCreatedUnixSeconds = begunAnew.unixSeconds
            }
            hold(bot.series)
            bot.show(by: shown.rules, nowUnixSeconds: shown.sinceUnixSeconds)
        }
        return bot
    }
}
