// The clipboard, by whichever of the usual programs is there. Wayland's first: under it xclip reaches only the X programs.
internal import Foundation

struct Clipboard {
    private static let programs: [(name: String, arguments: [String])] = [
        ("wl-copy", []), ("xclip", ["-selection", "clipboard"]), ("pbcopy", []),
    ]

    /// Folders to look in, `:` between, as in `PATH`.
    let path: String

    /// Copies a text. False where no program is there or each one failed. Waits for the program, some seconds at most.
    func copy(_ text: String) -> Bool {
        Self.programs.contains { program in
            executable(program.name).map { ChildProcess.run($0, program.arguments, input: text) } ?? false
        }
    }

    private func executable(_ name: String) -> String? {
        path.split(separator: ":").map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
}
