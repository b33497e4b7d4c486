// Whether the tests run under ThreadSanitizer or AddressSanitizer, as config/test tells them. Either takes memory, files and time of
// its own, which a test that measures must not count.
internal import Foundation

package enum Sanitizer {
    /// What tells a sanitizer how to report; for the environment of every program that a test starts.
    package static let options = ProcessInfo.processInfo.environment.filter {
        ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key)
    }

    package static let isOn = !options.isEmpty
}
