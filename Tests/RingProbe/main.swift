// A bot that tests run as another process: `RingProbe VERB RING [WORD...]`. It reports by lines on its standard output.
// The ring itself shows the rest.

import Glibc
import Ringside

let words = CommandLine.arguments
guard words.count >= 3 else {
    fail(
        "usage: RingProbe attach|churn|count|emit|fork|loop|overlap|pace|pauses|signals|race|terminate|vectors RING [WORD...]",
        code: 2)
}
// The probes of a test that is killed end at the latest now.
alarm(120)

switch words[1] {
case "attach": attachAndTell(ring: words[2], words: Array(words.dropFirst(3)))
case "count": countInstructions(ring: words[2], calls: words[3], rounds: Int(words[4])!)
case "emit": emitUnderGuard(ring: words[2])
case "fork": forkWhileAttached(ring: words[2])
case "loop": loopForEver(ring: words[2])
case "pace": pace(ring: words[2], rate: Double(words[3])!, seconds: Double(words[4])!)
case "pauses": meterPauses(bot: words[2])
case "churn": churn(ring: words[2])
case "signals": attachUnderSignals(ring: words[2])
case "terminate": waitForTheEnd(ring: words[2], words: Array(words.dropFirst(3)))
case "overlap": emitFromTwoThreads(ring: words[2])
case "vectors": makeVectors(folder: words[2])
case "race": race(ring: words[2], rounds: Int(words[3])!)
default: fail("unknown verb \(words[1])", code: 2)
}
