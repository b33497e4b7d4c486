// Every operation of a store's life on the disk fails once, and the power is cut at every one: nothing acknowledged is lost.
import Dispatch
import Foundation
import Shortening
import Telemetry
import Sanitizer
import Testing

@testable import SQLiteStore

@Suite struct FaultTests {
    /// One way to fail, tried at each operation.
    struct Way: Sendable, CustomTestStringConvertible {
        let fault: FaultyDisk.Fault
        let keeps: FaultyDisk.Keeps
        var kinds = FaultyDisk.changes

        var testDescription: String {
            "\(fault), then a cut that keeps \(keeps)\(kinds == FaultyDisk.reads ? ", reads" : "")"
        }
    }

    static let ways =
        FaultyDisk.Fault.allCases.flatMap { fault in
            FaultyDisk.Keeps.allCases.map { Way(fault: fault, keeps: $0) }
        } + [Way(fault: .fails, keeps: .none, kinds: FaultyDisk.reads)]

    /// All points take minutes, so that by default every twenty-fourth is tried, under a sanitizer every sixtieth, beginning elsewhere
    /// each time. A fault at any point can be tried again: the names of way and point are in the issue.
    static let stride = {
        if ProcessInfo.processInfo.environment["SHORTY_TEST_ALL_FAULTS"] != nil { return 1 }
        return Sanitizer.isOn ? 60 : 24
    }()

    @Test func `a life without faults leaves what was acknowledged, and is worth failing`() throws {
        let disk = try FaultyDisk()
        disk.arm(.fails, at: 0)
        let story = StoreStory(on: disk.folder.database)
        #expect(story.failures == [])
        #expect(story.acknowledgedVisits == 11_111)
        #expect(disk.count > 150)
        #expect(disk.unguardedWorks == story.truncations)
        #expect(disk.earlySyncs == 0)
        #expect(story.problemsAfterRestart() == [])
    }

    @Test(arguments: ways)
    func `whatever fails on the disk, all that was acknowledged is there after it`(_ way: Way) throws {
        let whole = try FaultyDisk()
        whole.arm(way.fault, at: 0, kinds: way.kinds)
        _ = StoreStory(on: whole.folder.database)
        let count = Int(whole.count)
        let points = Self.some(of: count, every: Self.stride)
        #expect(points.count >= 300 / Self.stride || way.kinds == FaultyDisk.reads)
        print("\(way.testDescription): \(points.count) of \(count) points")
        expectNothingLost(way, at: points)
    }

    /// Until the log is in use the file is written in place, beside a journal, and where the first start is cut there the file
    /// is half ours.
    @Test(arguments: ways.filter { $0.fault == .losesPower || $0.keeps == .all })
    func `a first start that was cut at any of its first steps is made good by the next one`(_ way: Way) {
        expectNothingLost(way, at: Self.some(of: 24, every: min(Self.stride, Sanitizer.isOn ? 6 : 2)))
    }

    /// Points from 1 to `count` at a distance, beginning at any.
    private static func some(of count: Int, every distance: Int) -> [Int] {
        Array(Swift.stride(from: Int.random(in: 1...distance), through: count, by: distance))
    }

    private func expectNothingLost(_ way: Way, at points: [Int], location: SourceLocation = #_sourceLocation) {
        let problems = Lock<[String]>([])
        // Threads of Dispatch, since a life blocks.
        DispatchQueue.concurrentPerform(iterations: points.count) { index in
            let found = Self.problems(way, at: points[index])
            if !found.isEmpty { problems.withLock { $0 += found } }
        }
        for problem in problems.withLock({ $0 }) { Issue.record("\(problem.prefix(400))", sourceLocation: location) }
    }

    /// One life with the fault at one operation, a cut at its end, and a start on a sound disk.
    private static func problems(_ way: Way, at point: Int) -> [String] {
        do {
            let disk = try FaultyDisk()
            disk.arm(way.fault, at: Int64(point), kinds: way.kinds)
            // In the middle, so that what a close puts on the disk is not all there is.
            let story = StoreStory(on: disk.folder.database, atEnd: disk.cutPower)
            var problems: [String] = []
            // One fault costs one step: the store goes on by itself.
            if way.fault.isOnce, story.failures.count > 1 { problems.append("failed: \(story.failures)") }
            if disk.earlySyncs > 0 { problems.append("\(disk.earlySyncs) syncs before what was written was in the file") }
            try disk.restart(way.keeps, seed: UInt64(point))
            problems += story.problemsAfterRestart()
            return problems.map { "\(way.testDescription), at \(point): \($0)" }
        } catch {
            return ["\(way.testDescription), at \(point): \(error)"]
        }
    }
}
