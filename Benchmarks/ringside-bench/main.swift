import Arguments
import Glibc

exit(
    VerbTable(
        "ringside-bench", summary: "Measures what telemetry costs, and what it costs elsewhere.",
        verbs: [EmissionVerb.verb, PeersVerb.verb],
        examples: [
            Example("What each call costs a bot", "ringside-bench emission")
        ]
    ).run())
