import Arguments
import Glibc
import LogImport

// Swift has copied the arguments by now.
let arguments = CommandLine.arguments
CommandLineSecrets.hide()

let tool = VerbTable(
    "ringside", summary: "Shows the rings that trading bots write, and controls their telemetry.",
    verbs: [
        ListVerb.verb, TopVerb.verb, DumpVerb.verb, TailVerb.verb, CaptureVerb.verb, ReplayVerb.verb,
        ImportVerb.verb, ControlVerb.verb, SweepVerb.verb, ForgetVerb.verb, HistoryVerb.verb, ReportVerb.verb,
        AlertsVerb.verb, DoctorVerb.verb, CompletionVerb.verb,
    ],
    examples: [
        Example("The rings of this machine", "ringside list"),
        Example("Percentiles as they move", "ringside top"),
        Example("All that one ring holds", "ringside dump alpha"),
    ]
)

exit(CompletionAnswer(arguments).map { $0.write(from: tool) } ?? tool.run(arguments))
