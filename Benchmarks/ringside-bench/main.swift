import Arguments
import Glibc

signal(SIGPIPE, SIG_IGN)  // a peer that has ended is said to have, and does not end this program
exit(
    VerbTable(
        "ringside-bench", summary: "Measures what telemetry costs, and what it costs elsewhere.",
        verbs: [
            EmissionVerb.verb, PeersVerb.verb, DrainVerb.verb, BotVerb.verb, CollectorVerb.verb, TwoProcessVerb.verb,
        ],
        examples: [
            Example("What each call costs a bot", "ringside-bench emission")
        ]
    ).run())
