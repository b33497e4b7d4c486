// What `verify` says of a file whose tables, indexes and triggers are not those that Shorty made.
import Foundation
import Testing

@testable import SQLiteStore

@Suite struct DeclarationTests {
    private func problems(after change: String, in folder: TemporaryFolder) throws -> [String] {
        try outsider(folder.database).execute(change)
        return try SQLiteStore.verify(file: folder.database).problems
    }

    /// Changes the text of a declaration, as a letter that goes bad on a disk does.
    private func alter(_ name: String, _ old: String, _ new: String) -> String {
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = '\(name)';
        PRAGMA writable_schema = OFF;
        """
    }

    @Test func `a bad letter in a declaration is told`() throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 10)
        #expect(try problems(after: "SELECT 1", in: folder) == [])
        #expect(
            try problems(after: alter("link", "expires", "expired"), in: folder) == [
                "the table link is not declared as it should be"
            ])
        #expect(
            try problems(after: alter("link_squeezed", "removed IS NULL", "created IS NULL"), in: folder)
                .contains("the index link_squeezed is not declared as it should be"))
    }

    @Test(arguments: ["trigger target_returns", "index link_long_slug", "view link_target"])
    func `what is missing is told`(_ name: String) throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 10)
        #expect(try problems(after: "DROP \(name)", in: folder).contains("the \(name) is missing"))
    }

    @Test func `what others have added is no fault, and neither are white space and quotes`() throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 10)
        let change = "CREATE INDEX mine ON link (created); CREATE TABLE note (text); "
        #expect(try problems(after: change + alter("link_squeezed", "ON link", "ON  \"link\""), in: folder) == [])
    }

    @Test(arguments: 1...Migration.builtIn.count)
    func `a store that has had some of the steps is sound`(steps: Int) throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeEarlierStore(steps: steps)
        #expect(try SQLiteStore.verify(file: folder.database).problems == [])
        try folder.open().close()
        #expect(try SQLiteStore.verify(file: folder.database).problems == [])
    }
}
