// What this process has in memory (proc(5), statm).
import Foundation

/// In KiB.
func residentKilobytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
}
