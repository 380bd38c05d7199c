internal import Arguments
internal import Exposition
internal import JSON

/// The result of one check of `ringside doctor`.
struct DoctorFinding {
    enum Status: String {
        case ok
        /// Worth knowing; nothing is being lost.
        case warn
        /// Something does not work, or data is being lost.
        case fail
    }

    let status: Status
    /// What was checked.
    let what: String
    /// What was found, with its figures.
    let why: String
    /// The remedy; "" if there is nothing to do.
    let remedy: String

    static func ok(_ what: String, _ why: String) -> DoctorFinding {
        DoctorFinding(status: .ok, what: what, why: why, remedy: "")
    }

    static func warn(_ what: String, _ why: String, mend remedy: String) -> DoctorFinding {
        DoctorFinding(status: .warn, what: what, why: why, remedy: remedy)
    }

    static func fail(_ what: String, _ why: String, mend remedy: String) -> DoctorFinding {
        DoctorFinding(status: .fail, what: what, why: why, remedy: remedy)
    }
}

/// The findings as the verb writes them.
extension [DoctorFinding] {
    /// Returns one line for each finding, never cut: `warn  ring alpha  its bot died; 'ringside sweep' removes it`.
    func text(hasColour: Bool = Terminal.hasColour) -> String {
        let width = map(\.what.count).max() ?? 0
        return map { finding in
            let status = finding.status.rawValue + String(repeating: " ", count: 6 - finding.status.rawValue.count)
            let what = finding.what + String(repeating: " ", count: width + 2 - finding.what.count)
            let style: Terminal.Style? =
                switch finding.status {
                case .ok: nil
                case .warn: .yellow
                case .fail: .red
                }
            return (style.map { Terminal.styled(status, $0, hasColour: hasColour) } ?? status)
                + (what + finding.why).printable + (finding.remedy.isEmpty ? "" : "; " + finding.remedy.printable)
                + "\n"
        }.joined()
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("failed", count { $0.status == .fail })
            $0.member("warned", count { $0.status == .warn })
            $0.member(
                "checks",
                array: { json in
                    for finding in self {
                        json.object {
                            $0.member("status", finding.status.rawValue)
                            $0.member("what", finding.what)
                            $0.member("why", finding.why)
                            $0.member("remedy", finding.remedy.isEmpty ? nil : finding.remedy)
                        }
                    }
                })
        }
        return json.bytes
    }
}
