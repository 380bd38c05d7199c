import RingReader
import Ringside
import RingsideCatalogue
import TestSupport
import Testing

/// A bot's own addition to the catalogue.
private enum HedgePlane {
    enum Leg: String, ClosedLabel {
        static let name = "leg"
        case near, far
    }

    struct Desk: OpenLabel {
        static let name = "desk"
        let text: String
        init(_ text: String) { self.text = text }
    }

    static let hedges = InstrumentDefinition<Counter, Label.Strategy, Label.Direction>(
        "my_hedges_total", help: "Orders that were sent to bring an inventory down.")
    static let imbalance = InstrumentDefinition<Gauge, Desk, Leg>(
        "my_imbalance_ratio", unit: .ratio, help: "What one leg lacks.")
    static let misnamed = InstrumentDefinition<Counter, Desk>("my_hedges", help: "A counter without its suffix.")
}

@Suite("Instruments of the catalogue") struct InstrumentTests {
    private let rings = TemporaryRingDirectory()

    @Test("a definition becomes a metric of the ring with its name, unit, help and labels, and its handle counts")
    func registers() throws {
        let telemetry = try rings.attach()
        let filled = try telemetry.instrument(OrderPlane.filled, "market_maker", "AAPL", .partialFill)
        filled.increment(by: 3)
        let metric = try #require(try rings.segment().metrics.first)
        #expect(metric.name == "orders_filled_total")
        #expect(metric.kind == .counter)
        #expect(metric.help == OrderPlane.filled.metric.help)
        let labels = Dictionary(uniqueKeysWithValues: metric.labels.map { ($0.name, $0.value) })
        #expect(labels == ["strategy": "market_maker", "symbol": "AAPL", "status": "PARTIAL_FILL"])
        #expect(try rings.segment().cell(0).first == 3)
        telemetry.close()
    }

    @Test("typed and textual labels name the same series")
    func texts() throws {
        let telemetry = try rings.attach()
        try telemetry.instrument(OrderPlane.filled, "mm", "AAPL", .filled).increment()
        let labels = ["status": "FILLED", "symbol": "AAPL", "strategy": "mm"]
        try telemetry.instrument(OrderPlane.filled, labels: labels).increment()
        let segment = try rings.segment()
        #expect(segment.metricCount == 1)
        #expect(segment.cell(0).first == 2)
        telemetry.close()
    }

    @Test("a family of a definition makes its series, one a value of the label, and those beyond the limit share one")
    func family() throws {
        let telemetry = try rings.attach()
        let acks = try telemetry.family(
            OrderPlane.submitToAck, by: Label.Symbol.self, labels: ["venue": "X", "strategy": "mm"], limit: 2)
        for symbol in ["AAPL", "MSFT", "NVDA", "AAPL"] { acks[symbol].record(nanoseconds: 5) }
        // The typed call names the same series.
        try telemetry.instrument(OrderPlane.submitToAck, "mm", "X", "MSFT").record(nanoseconds: 5)
        let gauges = try telemetry.family(DataPlane.completeness.everyChange, by: Label.Symbol.self)
        gauges["AAPL"].set(1)
        let metrics = try rings.segment().metrics
        #expect(acks.overflowed == 1)
        let symbols = { (name: String) in
            metrics.filter { $0.name == name }.map { metric in metric.labels.first { $0.name == "symbol" }?.value }
        }
        #expect(symbols("orders_submit_to_ack_latency_seconds") == ["other", "AAPL", "MSFT"])
        #expect(symbols("data_completeness_ratio") == ["other", "AAPL"])
        #expect(metrics.allSatisfy { $0.name == "data_completeness_ratio" || $0.labels.count == 3 })
        for (labels, said) in [
            (["venue": "X"], "lacks its label \"strategy\""),
            (["venue": "X", "strategy": "mm", "symbol": "A"], "has no label \"symbol\""),
        ] {
            #expect(throws: RegistrationError.self, "\(said)") {
                _ = try telemetry.family(OrderPlane.submitToAck, by: Label.Symbol.self, labels: labels)
            }
        }
        #expect(throws: RegistrationError.self) {
            _ = try telemetry.family(OrderPlane.submitToAck, by: Label.Reason.self, labels: ["venue": "X"])
        }
        telemetry.close()
    }

    @Test(
        "a label that is missing, unknown, or has a value that it may not have is refused by name",
        arguments: [
            (
                ["strategy": "mm", "symbol": "AAPL", "status": "REJECTED"],
                "orders_filled_total has no status \"REJECTED\", only FILLED, PARTIAL_FILL"
            ),
            (
                ["strategy": "mm", "symbol": "AAPL"],
                "orders_filled_total lacks its label \"status\"; its labels: strategy, symbol, status"
            ),
            (
                ["strategy": "mm", "symbol": "AAPL", "status": "FILLED", "order_id": "7"],
                "orders_filled_total has no label \"order_id\"; its labels: strategy, symbol, status"
            ),
        ])
    func refuses(labels: [String: String], message: String) throws {
        let telemetry = try rings.attach()
        var refusal: RegistrationError?
        do throws(RegistrationError) {
            _ = try telemetry.instrument(OrderPlane.filled, labels: labels)
        } catch { refusal = error }
        #expect(refusal?.reason == .invalidLabel)
        #expect(refusal?.description == message)
        #expect(try rings.segment().metricCount == 0)
        telemetry.close()
    }

    @Test("every definition of the catalogue is one that a ring takes, and all together fit the default table")
    func allRegister() throws {
        let telemetry = try rings.attach()
        for definition in TradingCatalogue.definitions {
            let labels = Labels(definition.labels.map { ($0.name, $0.allowedValues?.first ?? "x") })
            let name = definition.name
            let help = definition.help
            switch (definition.kind, definition.unit) {
            case (.counter, _): _ = try telemetry.counter(name, unit: definition.unit, help: help, labels: labels)
            case (.upDownCounter, _): _ = try telemetry.upDownCounter(name, help: help, labels: labels)
            case (.gauge, _): _ = try telemetry.gauge(name, unit: definition.unit, help: help, labels: labels)
            case (.histogram, .seconds): _ = try telemetry.durationHistogram(name, help: help, labels: labels)
            case (.histogram, _): _ = try telemetry.histogram(name, unit: definition.unit, help: help, labels: labels)
            }
        }
        #expect(try rings.segment().metrics.map(\.name) == TradingCatalogue.definitions.map(\.name))
        telemetry.close()
    }

    @Test("a bot declares its own as the catalogue does, with labels of its own")
    func ownInstruments() throws {
        let telemetry = try rings.attach()
        try telemetry.instrument(HedgePlane.hedges, "market_maker", .sell).increment()
        try telemetry.instrument(HedgePlane.imbalance, "rates", .far).set(0.25)
        let segment = try rings.segment()
        #expect(segment.metrics.map(\.name) == ["my_hedges_total", "my_imbalance_ratio"])
        #expect(Double(bitPattern: segment.cell(1).first) == 0.25)
        #expect(throws: RegistrationError.self) { try telemetry.instrument(HedgePlane.misnamed, "rates") }
        telemetry.close()
    }

    @Test("a gauge taken as everyChange writes a record at each set, and the plain one none")
    func everyChange() throws {
        let telemetry = try rings.attach()
        let plain = try telemetry.instrument(HealthPlane.queueBacklog, "bus")
        let spiky = try telemetry.instrument(HealthPlane.queueBacklog.everyChange, "orders")
        plain.set(1)
        #expect(try rings.segment().position == 0)
        spiky.set(2)
        #expect(try rings.segment().position == 1)
        telemetry.close()
    }

    @Test("on a disabled handle instruments register and do nothing")
    func disabled() throws {
        let telemetry = Telemetry.disabled()
        try telemetry.instrument(DataPlane.ticksReceived, "feed", "AAPL").increment()
        #expect(throws: RegistrationError.self) {
            try telemetry.instrument(DataPlane.ticksReceived, labels: ["source": "feed"])
        }
        #expect(rings.entries() == [])
    }
}
