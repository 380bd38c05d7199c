import RingReader
import Ringside
import TestSupport
import Testing

/// What a ring had no room for is seen by whoever looks at the collector, and not by the bot alone.
@Suite struct RefusedMetricTests {
    private let directory = TemporaryRingDirectory()

    @Test("registrations that a ring refused are counted in every snapshot as long as the ring is there")
    func counted() throws {
        let options = AttachOptions(directory: directory.path, capacityRecords: 64, metricCapacity: 1)
        let telemetry = try Telemetry.attach("alpha", options: options)
        let collector = try Crank(directory)
        _ = try telemetry.counter("first_total", help: "Has room.")
        #expect(try collector.settle().ring()?.refusedMetrics == 0)
        for name in ["second_total", "third_total"] {
            #expect(throws: RegistrationError.self) { try telemetry.counter(name, help: "Has none.") }
        }
        #expect(try collector.settle().ring()?.refusedMetrics == 2)
        telemetry.close()
    }
}
