// Configuration: no bytes stop the process, faults name the file and a line of it, and what is accepted is shown as it is read.
internal import Glibc

@testable import Configuration

func fuzzConfiguration(_ bytes: [UInt8]) {
    checkLoad(bytes)
    if let text = String(validating: bytes, as: UTF8.self) { checkVariable(text, Choices(of: bytes)) }
}

/// A file without a name, written anew for each input.
private let descriptor: Int32 = {
    var name = Array("/tmp/shorty-fuzz-XXXXXX".utf8CString)
    // mkstemp(3) writes the last six characters.
    let descriptor = unsafe mkstemp(&name)
    claim(unsafe descriptor >= 0 && unlink(name) == 0, "there is no file to read from")
    return descriptor
}()

/// The whole way from a file.
private func checkLoad(_ bytes: [UInt8]) {
    // The bytes are read during the call only.
    let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    claim(count == bytes.count && ftruncate(descriptor, count) == 0, "the file cannot be written")
    let path = "/proc/self/fd/\(descriptor)"
    do throws(SettingsError) {
        checkShown(try SettingSources(file: path).load().settings)
    } catch {
        claim(!error.problems.isEmpty, "no problem, and no settings")
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        for problem in error.problems { check(problem, of: path, lines) }
    }
}

private func check(_ problem: SettingProblem, of path: String, _ lines: Int) {
    let message = problem.message
    claim(!message.utf8.contains { $0 < 0x20 || $0 == 0x7f }, "a message holds a control: \(message)")
    switch problem {
    case .conflict: return
    case .syntax(_, let line?, _): claim((1...lines).contains(line), "line \(line) of \(lines)")
    default: break
    }
    claim(message.hasPrefix(path), "a problem does not name the file: \(message)")
}

/// The text as the value of some setting in the environment.
private func checkVariable(_ text: String, _ choices: Choices) {
    var choices = choices
    guard let definition = SettingDefinition.all.randomElement(using: &choices) else { return }
    for input in [SettingInput.text(text), .literal(text), .list([text])] {
        var settings = Settings()
        if definition.apply(input, &settings) {
            checkShown(settings)
        } else {
            claim(settings == Settings(), "\(definition.key) refused a value and took it")
        }
    }
}

/// What is shown can be written into a file, and means the same there.
private func checkShown(_ settings: Settings) {
    var members = ""
    for definition in SettingDefinition.all where !definition.isSecret {
        let shown = definition.shown(in: settings)
        // Long texts are cut for people.
        if shown.contains("...\"") { return }
        members += "\"\(definition.key)\": \(shown),"
    }
    guard let file = try? SettingsFile.parse(Array("{\(members)}".utf8)) else {
        return claim(false, "what is shown is no file: \(members)")
    }
    var again = Settings()
    for entry in file.entries {
        let isAllowed = SettingDefinition.named(entry.key)?.apply(entry.input, &again)
        claim(isAllowed == true, "\(entry.key) is shown as \(entry.input), which is not allowed")
    }
    again.keys = settings.keys
    claim(again == settings, "what is shown means something else: \(members)")
}
