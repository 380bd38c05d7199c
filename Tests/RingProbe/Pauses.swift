import CProbe
import Glibc
import RingsideCatalogue

/// Starts a pause meter, says `running BOOL`, and forks: the child says `child BOOL` of what it inherited, stops it, and lives
/// on as `stopped PID`; the parent waits to be killed.
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
