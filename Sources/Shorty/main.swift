// Only calls a function: closures made here would be bound to the main actor and trap on other threads.
internal import FoundationEssentials
internal import Glibc

exit(
    Shorty.run(
        arguments: Array(CommandLine.arguments.dropFirst()),
        in: Surroundings(environment: ProcessInfo.processInfo.environment)))
