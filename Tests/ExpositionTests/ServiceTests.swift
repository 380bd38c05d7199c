import FoundationEssentials
import Series
import Testing

@testable import Exposition

@Suite("Services beside the drain") struct ServiceTests {
    private struct Health: Decodable {
        struct Export: Decodable {
            let name: String
            let ok: Bool
        }
        struct History: Decodable {
            let ok: Bool
            let failure: String?
        }
        let exports: [Export]
        let history: History?
    }

    private func page(_ services: [ServiceStatus]) throws -> (health: Health, metrics: String) {
        var shot = snapshot([])
        shot.collector.services = services
        let health = try JSONDecoder().decode(Health.self, from: Data(HealthJSON.render(shot)))
        return (health, String(decoding: PrometheusText.render(Families(shot, process: nil)), as: UTF8.self))
    }

    @Test("shows in /health and as a gauge, with the reason where it fails")
    func failing() throws {
        let (health, metrics) = try page([
            ServiceStatus(name: "history", failure: "disk is full"), ServiceStatus(name: "json", failure: nil),
        ])
        #expect(health.history?.ok == false && health.history?.failure == "disk is full")
        #expect(health.exports.map(\.name) == ["json"] && health.exports.map(\.ok) == [true])
        #expect(metrics.contains("\nringside_history_up 0\n") && metrics.contains("\nringside_json_up 1\n"))
    }

    @Test("health says how often the wall clock was stepped, and by how much")
    func clock() throws {
        struct Health: Decodable {
            struct Clock: Decodable {
                let steps: UInt64
                let last_step: Double?
            }
            let clock: Clock
        }
        var shot = snapshot([])
        shot.collector.clock = ClockSnapshot(
            source: "tsc", driftRatio: nil, steps: 3, lastStepSeconds: -3600, suspends: 0, suspendedSeconds: 0,
            tickJumps: 0)
        let clock = try JSONDecoder().decode(Health.self, from: Data(HealthJSON.render(shot))).clock
        #expect(clock.steps == 3 && clock.last_step == -3600)
    }

    @Test("is nowhere where it was not asked for")
    func absent() throws {
        let (health, metrics) = try page([])
        #expect(health.history == nil && health.exports.isEmpty)
        #expect(!metrics.contains("ringside_history_up ") && !metrics.contains("ringside_json_up "))
    }
}
