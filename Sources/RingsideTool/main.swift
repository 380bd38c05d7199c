import Arguments
import Glibc

// Swift has copied them by now.
let arguments = CommandLine.arguments
CommandLineSecrets.hide()

exit(
    VerbTable(
        "ringside", summary: "Looks at the rings that trading bots write, and turns their telemetry down and up.",
        verbs: [
            ListVerb.verb, TopVerb.verb, DumpVerb.verb, TailVerb.verb, CaptureVerb.verb, ReplayVerb.verb,
            ImportVerb.verb, ControlVerb.verb, SweepVerb.verb, ForgetVerb.verb, HistoryVerb.verb, ReportVerb.verb,
            DoctorVerb.verb,
        ],
        examples: [
            Example("The rings of this machine", "ringside list"),
            Example("Percentiles as they move", "ringside top"),
            Example("All that one ring holds", "ringside dump alpha"),
        ]
    ).run(arguments))
