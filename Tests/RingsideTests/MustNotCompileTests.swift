import FoundationEssentials
import TestSupport
import Testing

/// Mistakes that the compiler must refuse, as the bot's author would make them.
@Suite struct MustNotCompileTests {
    /// A program with a mistake in it. It has its lines that end in `//!`, and lacks those that end in `//?`.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The compiler's required error, for one of its lines.
        let complaint: String
        let program: String
    }

    static let mistakes = [
        Mistake(
            testDescription: "an instrument sent to an actor and used again",
            complaint: "sending 'total' risks causing data races",
            program: """
                actor Strategy {
                    var total: Counter?
                    func take(_ total: sending Counter) { self.total = total }
                }
                func mistake(_ strategy: Strategy) async throws {
                    let telemetry = try Telemetry.attach("alpha")
                    let total = try telemetry.counter("x_total", help: "X.")
                    await strategy.take(total)
                    total.increment()  //!
                }
                """),
        Mistake(
            testDescription: "an instrument used by a task and by its maker",
            complaint: "risks causing data races",
            program: """
                func mistake() throws {
                    let telemetry = try Telemetry.attach("alpha")
                    let total = try telemetry.counter("x_total", help: "X.")
                    Task { total.increment() }
                    total.increment()  //!
                }
                """),
        Mistake(
            testDescription: "an instrument sent away, and another of the same ring kept",
            complaint: "sending 'total' risks causing data races",
            program: """
                func work(_ total: sending Counter) async { total.increment() }
                func mistake() async throws {
                    let telemetry = try Telemetry.attach("alpha")
                    let total = try telemetry.counter("x_total", help: "X.")
                    let level = try telemetry.gauge("level", help: "Level.")
                    await work(total)
                    level.set(1)  //!
                }
                """),
        Mistake(
            testDescription: "an instrument asked of the actor that has it",
            complaint: "non-Sendable",
            program: """
                actor Strategy {
                    let total: Counter
                    init(_ telemetry: consuming sending Telemetry) throws {
                        total = try telemetry.counter("x_total", help: "X.")
                    }
                    func increment() { total.increment() }
                }
                func mistake(_ strategy: Strategy) async {
                    await strategy.increment()
                    await strategy.total.increment()  //!
                }
                """),
        Mistake(
            testDescription: "an instrument in what is said to be Sendable",
            complaint: "has non-Sendable type 'Counter'",
            program: """
                struct Instruments: Sendable {
                    let number: Int
                    let total: Counter  //!
                }
                """),
        Mistake(
            testDescription: "a handle copied",
            complaint: "'telemetry' consumed more than once",
            program: """
                func take(_ telemetry: consuming Telemetry) {}
                func mistake() throws {
                    let telemetry = try Telemetry.attach("alpha")
                    let other = telemetry
                    other.close()
                    take(telemetry)  //!
                }
                """),
        Mistake(
            testDescription: "a handle used after it was handed over",
            complaint: "'telemetry' used after consume",
            program: """
                func take(_ telemetry: consuming sending Telemetry) { telemetry.close() }
                func mistake() throws {
                    let telemetry = try Telemetry.attach("alpha")
                    take(telemetry)
                    _ = telemetry.now()  //!
                }
                """),
        Mistake(
            testDescription: "a handle handed over, and an instrument of it kept",
            complaint: "sending 'telemetry' risks causing data races",
            program: """
                func take(_ telemetry: consuming sending Telemetry) { telemetry.close() }
                func mistake() throws {
                    let telemetry = try Telemetry.attach("alpha")
                    let total = try telemetry.counter("x_total", help: "X.")
                    total.increment()
                    take(telemetry)
                    total.increment()  //!
                }
                """),
        Mistake(
            testDescription: "a span copied",
            complaint: "'span' consumed more than once",
            program: """
                func mistake(_ waits: DurationHistogram) {
                    let span = waits.start()
                    let other = span
                    other.end()
                    span.end()  //!
                }
                """),
        Mistake(
            testDescription: "a span ended twice",
            complaint: "'span' consumed more than once",
            program: """
                func mistake(_ waits: DurationHistogram) {
                    let span = waits.start()
                    span.end()
                    span.fail()  //!
                }
                """),
        Mistake(
            testDescription: "a span ended on one path and again on all",
            complaint: "'span' consumed more than once",
            program: """
                func mistake(_ waits: DurationHistogram, _ isRejected: Bool) {
                    let span = waits.start()
                    if isRejected {
                        span.fail()
                        return  //?
                    }
                    span.end()
                }
                """),
    ]

    private let folder = TemporaryRingDirectory(under: "/tmp")

    /// Compiles a program against this build's module up to the checks of ownership and isolation, which come after the
    /// checks of types.
    private func compile(_ name: String, _ lines: [Substring]) throws -> (exit: ChildProcess.Exit, said: [Substring]) {
        let path = "\(folder.path)/\(name).swift"
        try Data("import Ringside\n\n\(lines.joined(separator: "\n"))\n".utf8).write(to: URL(filePath: path))
        let compiler = try ChildProcess([
            "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-sil", "-o", "/dev/null",
            "-I", "\(ChildProcess.folderOfTests)/Modules", "-Xcc", "-I\(Sources.root)/Sources/CRingside/include", path,
        ])
        return (try compiler.wait(limitSeconds: 300), compiler.standardError.split(separator: "\n"))
    }

    @Test("the compiler refuses", arguments: mistakes)
    func refused(mistake: Mistake) throws {
        let lines = mistake.program.split(separator: "\n", omittingEmptySubsequences: false)
        // The mistake is an additional line, or a missing one.
        let wrong = try compile("Mistake", lines.filter { !$0.hasSuffix("//?") })
        let errors = wrong.said.filter { $0.contains(": error: ") }
        #expect(wrong.exit == .code(1))
        #expect(errors.contains { $0.contains(mistake.complaint) }, "\(wrong.said.joined(separator: "\n"))")

        let right = try compile("Right", lines.filter { !$0.hasSuffix("//!") })
        #expect(right.exit == .code(0), "\(right.said.joined(separator: "\n"))")
    }
}
