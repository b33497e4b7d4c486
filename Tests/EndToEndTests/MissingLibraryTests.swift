// A library that is loaded by need only is missed at the start, not when somebody's link needs it.
internal import Foundation
internal import Testing

@Suite(.atTheBench) struct MissingLibraryTests {
    /// Runs what follows in a name space of mounts in which ICU is there by name only.
    private static let withoutICU = """
        set -e
        for file in $(ldconfig -p | sed -n 's/.*libicuuc.* => //p'); do mount --bind /dev/null "$file"; done
        exec "$@"
        """

    @Test(arguments: [["serve", "--listen", "127.0.0.1:0"], ["add", "https://bücher.example/"]])
    func `without ICU nothing starts that may store a link, and it says what to install`(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        let words = ["--mount", "sh", "-c", Self.withoutICU, "sh"]
        guard try Program.run(tool: "unshare", words + ["true"], in: folder).isSuccess else {
            try Test.cancel("a name space of mounts cannot be made here")
        }
        let run = try Program.run(
            tool: "unshare", words + [Program.path] + command + ["--database", folder.file("s.db")], in: folder)
        #expect(run.ending == .exit(1), "\(run)")
        #expect(run.errors.contains("libicuuc.so."), "\(run)")
        #expect(run.errors.contains("apt-get install libicu"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("s.db")))
    }
}
