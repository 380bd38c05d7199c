internal import Configuration
internal import Platform
internal import RingReader
internal import Rules
internal import Series

/// Which rings there are, and which bots they make up.
///
/// A ring comes when its file appears and goes when its file is gone and its producer too. A file replaced by another
/// under the same name is drained to its end before its successor is opened; the totals of both are the lane's.
final class Roster: BotRoster {
    var rings: [RingDrain] = []
    var bots: [String: BotAccount] = [:]
    /// Rings that an earlier collector read, as it left them, and that were not seen since.
    var absent: [RingName: RingState] = [:]
    /// Whether that collector may have shown more than it kept.
    var mayHaveShownMore = false
    /// Rings that others had replaced when this collector came.
    var superseded: [RingName] = []
    /// Rings that could not be opened, with what was said of it, so that it is said once.
    var refused: [RingName: String] = [:]
    var past = PastRings()
    /// Rings whose file was damaged: not read again whatever its header says now. Kept open, so that the file's number stays
    /// its own.
    var quarantined: [Segment] = []
    /// Rings whose file lost its name while their bot lives, so that it is said once.
    var unlinked: Set<Segment.Identifier> = []
    /// Rings whose name another has taken while their bot lives.
    var displaced = DisplacedRings()
    /// The processes of the bots that live.
    var processes = ProcessWatch()
    let directory: RingDirectory
    var filter: RingFilter
    let calibration: any TickScaleSource
    let options: SeriesOptions
    let logger: Logger
    let startedUnixNanoseconds: UInt64
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
        logger: Logger, startedUnixNanoseconds: Int64, traces: TraceExchange? = nil,
        late: LateMinutes? = nil
    ) {
        self.traces = traces
        self.late = late
        self.directory = directory
        self.filter = filter
        self.calibration = calibration
        self.options = options
        self.logger = logger
        self.startedUnixNanoseconds = UInt64(clamping: startedUnixNanoseconds)
    }

    func bot(_ name: String, now: MonotonicTime) -> BotAccount {
        let bot = bots[name] ?? BotAccount(name: name, options: options, now: now)
        if bots.updateValue(bot, forKey: name) == nil {
            bot.series.late = late
            hold(bot.series)
            bot.show(by: shown.rules, nowUnixSeconds: shown.sinceUnixSeconds)
        }
        return bot
    }
}
