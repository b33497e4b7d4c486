// The fuzzers' one program: the first argument names what is tried, the others are libFuzzer's. It must not know how anything is
// tried; that is in one file a target.
internal import Glibc
internal import LibFuzzer

/// What can be tried, by name.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "Body": fuzzBody, "CSV": fuzzCSV, "Configuration": fuzzConfiguration, "Form": fuzzForm, "JSON": fuzzJSON,
    "JSONLines": fuzzJSONLines, "LongURL": fuzzLongURL, "Proxy": fuzzProxy, "RequestHead": fuzzRequestHead,
]

@main
struct Fuzz {
    static func main() {
        guard CommandLine.argc > 1, let target = targets[CommandLine.arguments[1]] else {
            print(
                "usage: Fuzz TARGET [LIBFUZZER-OPTION…] [FOLDER…]; targets: \(targets.keys.sorted().joined(separator: " "))"
            )
            exit(2)
        }
        // No other thread runs yet.
        unsafe chosen = target
        // libFuzzer keeps the arguments for as long as the process lives, which is as long as the runtime does.
        var count = CommandLine.argc - 1
        var arguments = unsafe Optional(CommandLine.unsafeArgv + 1)
        exit(
            unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                // The bytes are the fuzzer's, and only until this returns.
                unsafe Fuzz.try(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }

    private static func `try`(_ bytes: [UInt8]) {
        let start = clock()
        // Read as `chosen` asks.
        unsafe chosen(bytes)
        // libFuzzer's own limit goes by the wall clock, which says more of the machine's other work. The slowest inputs of 4 KiB
        // take 50 ms with all instruments.
        let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        claim(seconds < 2, "an input of \(bytes.count) bytes took \(seconds) s of the processor")
    }

    /// Written once, before the first input; a function that C calls can capture nothing.
    private nonisolated(unsafe) static var chosen: ([UInt8]) -> Void = { _ in }
}
