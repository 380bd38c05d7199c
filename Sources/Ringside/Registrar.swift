internal import CRingside

/// Registers metrics with one producer, whether or not there is a ring.
struct Registrar {
    let producer: UnsafeMutablePointer<ringside_producer>

    /// Finds or adds a metric and returns its id; returns 0 if there is no ring.
    func register(
        _ name: String, _ kind: ringside_kind, _ number: ringside_number, _ unit: MetricUnit, _ help: String,
        _ labels: Labels, _ encoding: ringside_encoding = RINGSIDE_ENCODING_NUMBER, options: UInt8 = 0
    ) throws(RegistrationError) -> UInt32 {
        var id: UInt32 = 0
        var failure = ringside_error()
        let code = labels.withCLabels { cLabels in
            withCText(name) { cName in
                withCText(help) { cHelp in
                    var definition = ringside_definition(
                        name: cName, help: cHelp, labels: cLabels.baseAddress, label_count: UInt32(cLabels.count),
                        kind: UInt8(kind.rawValue), number: UInt8(number.rawValue), unit: unit.code,
                        encoding: UInt8(encoding.rawValue), options: options)
                    return ringside_register(producer, &definition, &id, &failure)
                }
            }
        }
        guard code == 0 else { throw RegistrationError(failure) }
        return id
    }
}

extension Telemetry {
    var registrar: Registrar { Registrar(producer: producer) }
}
