// Names and slugs as they are typed to commands, and what is said where there are none.
internal import Configuration
internal import SQLiteStore
internal import Shortening
internal import Web

extension CollectionName {
    /// The name that was typed; fails where there can be none like it.
    init(typed text: String) throws(CommandError) {
        do throws(SlugError) {
            try self.init(text, reserved: SiteMap().reservedNames)
        } catch {
            throw .failure(
                "\"\(Table.flattened(text))\" can be no collection, whose names are like slugs. \(error.message)")
        }
    }

    /// What is said where a store has none of this name.
    var missing: CommandError {
        .failure("There is no collection \"\(text)\"; `shorty collection list` shows all, `collection create` makes one.")
    }
}

extension Slug {
    /// The slug that was typed, whatever the settings say today: it may have been stored under others.
    init(typed text: String) throws(CommandError) {
        do throws(SlugError) {
            try self.init(text, limit: Slug.longest, reserved: SiteMap().reservedNames)
        } catch {
            throw .failure(error.message)
        }
    }

    /// What is said where a store has no link of this slug.
    var missing: CommandError { .failure("There is no link with the slug \"\(text)\"; `shorty list` shows all.") }
}
