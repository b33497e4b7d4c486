// Runs commands inside the tests: their exit code, and what they wrote.
import Foundation
import Glibc

@testable import Shorty

/// A folder of its own, in which commands are run.
final class Rehearsal {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-\(UUID().uuidString)")

    var database: String { folder.appendingPathComponent("shorty.db").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    struct Outcome {
        let code: Int32
        let output: String
        let errors: String
    }

    /// Runs a command whose store is the folder's.
    func run(_ words: String..., environment: [String: String] = [:]) throws -> Outcome {
        try run(words, environment: environment)
    }

    func run(_ words: [String], environment: [String: String] = [:]) throws -> Outcome {
        var surroundings = Surroundings(environment: environment)
        if surroundings.environment["SHORTY_STORE_DATABASE"] == nil {
            surroundings.environment["SHORTY_STORE_DATABASE"] = database
        }
        let output = try write("", to: "output")
        let errors = try write("", to: "errors")
        surroundings.console = unsafe Console(output: open(output, O_WRONLY), errors: open(errors, O_WRONLY))
        defer {
            close(surroundings.console.output)
            close(surroundings.console.errors)
        }
        let code = Shorty.run(arguments: words, in: surroundings)
        return Outcome(
            code: code, output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }

    /// Makes a file in the folder; returns its path.
    @discardableResult func write(_ text: String, to name: String) throws -> String {
        let path = folder.appendingPathComponent(name).path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }
}
