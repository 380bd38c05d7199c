import CProbe
import Glibc
import RingsideCatalogue

/// Starts a pause meter, prints `running BOOL`, and forks. The child prints `child BOOL` for the meter that it
/// inherited, stops it, and lives on as `stopped PID`. The parent waits to be killed.
func meterPauses(bot: String) {
    do {
        let meter = try PauseMeter.start(bot: bot)
        say("running \(meter.isRunning)")
        if probe_fork() == 0 {
            alarm(60)  // no child inherits an alarm
            say("child \(meter.isRunning)")
            meter.stop()
            say("stopped \(getpid())")
        }
        while true { pause() }
    } catch {
        say("refused \(error)")
    }
}
