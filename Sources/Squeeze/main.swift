// Only calls a function: what is declared here would be bound to the main actor.
internal import Foundation

let status = await Command.run(CommandLine.arguments.dropFirst(), environment: ProcessInfo.processInfo.environment)
exit(status.rawValue)
