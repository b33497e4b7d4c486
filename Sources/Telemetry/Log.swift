// Placeholder until the log is merged.
package final class Log: Sendable {
    package init() {}
    package func warning(_ text: String) {}
    package func info(_ text: String) {}
    package func error(_ text: String) {}
}
