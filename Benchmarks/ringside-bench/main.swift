import Arguments
import Glibc

signal(SIGPIPE, SIG_IGN)  // a peer that has ended is said to have, and does not end this program
exit(
    VerbTable(
        "ringside-bench", summary: "Measures what telemetry costs, and what it costs elsewhere.",
        verbs: [
            EmissionVerb.verb, PeersVerb.verb, DrainVerb.verb, ScrapeVerb.verb, BotVerb.verb, CollectorVerb.verb,
            TwoProcessVerb.verb, HistoryVerb.verb, GrowthVerb.verb, MemoryVerb.verb,
        ],
        examples: [
            Example("What each call costs a bot", "ringside-bench emission"),
            Example("The same beside other libraries", "ringside-bench peers"),
            Example("What one core of the collector takes, for a script", "ringside-bench drain --format json"),
        ]
    ).run())
