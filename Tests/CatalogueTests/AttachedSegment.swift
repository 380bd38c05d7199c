import RingReader
import Ringside
import TestSupport

extension TemporaryRingDirectory {
    func attach(_ name: String = "alpha") throws(AttachError) -> Telemetry {
        try Telemetry.attach(name, options: AttachOptions(directory: path, capacityRecords: 1024))
    }

    func segment(_ name: String = "alpha") throws -> Segment { try Segment(name: RingName(name)!, path: ring(name)) }
}

extension Segment {
    var metrics: [Metric] { (0..<metricCount).compactMap { metric($0) } }
}
