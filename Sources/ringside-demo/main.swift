import Arguments
import Glibc

exit(DemoRun(DemoOptions.command.parseOrExit()).run())
