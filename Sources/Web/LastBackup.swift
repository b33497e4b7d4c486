// What the health check tells about backups. It names no folder: anybody may ask for it.
package import Telemetry

/// What came of the last backup that was tried.
package struct LastBackup: Equatable, Sendable {
    /// When that was.
    package let time: UTCTime
    /// The name, without its folder, of the last backup that was written; nil before the first.
    package let file: String?
    /// Why none was written then; nil where one was.
    package let error: String?

    package init(time: UTCTime, file: String?, error: String?) {
        self.time = time
        self.file = file
        self.error = error
    }

    /// As a JSON object.
    var json: String {
        let file = file.map(jsonText) ?? "null"
        let error = error.map(jsonText) ?? "null"
        return "{\"time\":\"\(time.rfc3339)\",\"file\":\(file),\"error\":\(error)}"
    }
}
