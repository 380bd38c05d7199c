import Arguments
import Glibc

let options = DemoOptions.command.parseOrExit()
if let address = options.page, !options.takesCommands {
    exit(PageRun.run(options, at: address, arguments: CommandLine.arguments))
}
exit(DemoRun(options).run())
