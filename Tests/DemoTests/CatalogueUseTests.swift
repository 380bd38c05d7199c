import RingReader
import RingsideCatalogue
import Testing

@testable import ringside_demo

@Suite("The demo's instruments") struct CatalogueUseTests {
    @Test("all come from the catalogue, but for a few of its own, and have the labels and help that it says")
    func catalogue() throws {
        let demo = DemoProcess()
        #expect(try demo.run(["--rate", "1000", "--duration", "0.2", "--report", demo.report]) == .code(0))
        let segment = try Segment(name: try #require(RingName("demo1")), path: demo.ring("demo1"))
        #expect(DemoPlane.definitions.map(\.name) == ["data_messages_before_recording_total", "orders_working"])
        var used: Set<String> = []
        for index in 0..<segment.metricCount {
            let metric = try #require(segment.metric(index))
            let own = DemoPlane.definitions.first { $0.name == metric.name }
            let definition = try #require(
                own ?? TradingCatalogue.definition(named: metric.name), "\(metric.name) is in no catalogue")
            #expect(metric.help == definition.help)
            #expect(Set(metric.labels.map(\.name)) == Set(definition.labels.map(\.name)))
            for label in metric.labels {
                let allowed = definition.labels.first { $0.name == label.name }?.allowedValues
                #expect(allowed?.contains(label.value) ?? true, "\(metric.name) \(label.name)=\(label.value)")
            }
            used.insert(metric.name)
        }
        // Its work has a book, candles, a signal, risk checks, orders at a venue, and a bus.
        #expect(used.count >= 50, "\(used.count) names")
    }
}
