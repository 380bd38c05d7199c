import Ringside
import RingsideCatalogue
import Synchronization

/// The process' pause meter in the ring `BOT.pause`, with a note of the recorded pauses. Its thread takes the notes,
/// and the bot's thread reads them after the end.
struct RecordedPauses {
    private final class Notes: Sendable {
        let note: Mutex<HistogramNote>
        init(keepsValues: Bool) { note = Mutex(HistogramNote(keepsValues: keepsValues)) }
    }

    private let meter: PauseMeter
    private let notes: Notes
    private let bot: String

    /// - Parameter report: Called if the bot has to continue without a meter.
    init(bot: String, _ attach: AttachOptions, _ noteTaking: NoteTaking, report: (AttachError) -> Void) {
        let notes = Notes(keepsValues: noteTaking == .everyValue)
        let take: @Sendable (UInt64) -> Void = { ticks in notes.note.withLock { $0.add(ticks) } }
        meter = PauseMeter.startOrDisabled(
            bot: bot, options: PauseMeter.Options(attach: attach), observe: noteTaking == .none ? nil : take,
            report: report)
        self.notes = notes
        self.bot = bot
    }

    /// Ends the meter and closes its ring. Returns nil if it had none.
    func stop() -> EmittedRing? {
        guard meter.isRunning else { return nil }
        meter.stop()
        let note = notes.note.withLock { $0 }
        let pauses = EmittedMetric(
            name: HealthPlane.pause.metric.name, labels: HealthPlane.pause.labels(.scheduling),
            value: .histogram(EmittedHistogram(note, .ticks, ticksPerSecond: TickClock.ticksPerSecond)))
        return EmittedRing(bot: bot, lane: PauseMeter.lane, metrics: [pauses])
    }
}
