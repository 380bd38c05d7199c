internal import Arguments

/// Reports bad lines on standard error: at most ten in ten seconds, and then the number of further ones.
struct BadLineLog {
    static let linesAPeriod = 10
    static let periodNanoseconds: UInt64 = 10_000_000_000

    private var periodStart: UInt64 = 0
    private var said = 0
    private var unsaid: UInt64 = 0
    private let report: (String) -> Void

    init(report: @escaping (String) -> Void = { Terminal.report($0) }) { self.report = report }

    mutating func note(_ problem: LineProblem, file: String, line: UInt64, now: UInt64) {
        if now &- periodStart >= Self.periodNanoseconds {
            flush()
            (periodStart, said) = (now, 0)
        }
        guard said < Self.linesAPeriod else {
            unsaid += 1
            return
        }
        said += 1
        report("ringside import: \(file.printable):\(line): \(problem)")
    }

    /// Reports how many lines were left out.
    mutating func flush() {
        if unsaid > 0 { report("ringside import: \(unsaid) more bad lines like these") }
        unsaid = 0
    }
}
