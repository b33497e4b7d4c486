// What the log says of a store in trouble, and when it is out of it.
internal import SQLiteStore

extension TroubleArea {
    var words: String {
        switch self {
        case .files: "nothing can be stored"
        case .changes: "changes are refused"
        case .reads: "links cannot be looked up"
        case .log: "the database's log cannot be worked off, and grows"
        }
    }

    var wordsOfEnd: String {
        switch self {
        case .files: "the store's files are in their places again"
        case .changes: "changes are stored again"
        case .reads: "links are looked up again"
        case .log: "the database's log is worked off again"
        }
    }
}
