import Series

/// The state of the collector's exports.
extension FamilyBuilder {
    mutating func addExports(_ exports: [ExportStatus]) {
        func each(_ read: (ExportStatus) -> Number?) -> [Sample] {
            exports.compactMap { export in read(export).map { ($0, [Label("export", export.name)]) } }
        }
        func byReason(_ read: (ExportStatus) -> [String: UInt64]) -> [Sample] {
            exports.flatMap { export in
                read(export).sorted { $0.key < $1.key }.map { reason, count in
                    (.unsigned(count), [Label("export", export.name), Label("reason", reason)])
                }
            }
        }
        addAll(
            "ringside_export_failing", .gauge, "1 for an export whose last attempt failed.",
            each { .unsigned($0.isOK ? 0 : 1) })
        addAll(
            "ringside_export_queue_entries", .gauge, "Requests that wait to be sent.",
            each { .unsigned($0.queuedEntries) })
        addAll(
            "ringside_export_queue_bytes", .gauge, "Bytes of the requests that wait to be sent.",
            each { .unsigned($0.queuedBytes) }, unit: .bytes)
        addAll(
            "ringside_export_sent_total", .counter, "Requests that the destination took.", each { .unsigned($0.sent) })
        addAll(
            "ringside_export_failed_total", .counter, "Attempts that failed, by reason.", byReason { $0.failed })
        addAll(
            "ringside_export_dropped_total", .counter, "Requests that were given up, by reason.",
            byReason { $0.dropped })
        addAll(
            "ringside_export_retries_total", .counter, "Attempts beyond a request's first.",
            each { .unsigned($0.retries) })
        addAll(
            "ringside_export_last_success_timestamp_seconds", .gauge,
            "When the destination last took a request, since the Unix epoch.",
            each { $0.lastSuccessUnixNanoseconds.map { .real(Double($0) * 1e-9) } }, unit: .seconds)
    }
}
