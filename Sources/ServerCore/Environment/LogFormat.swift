internal import Foundation
public import Logging
internal import Records

/// The format of the log's lines. Each event is one line in both.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `key=value`, with quotes where a value needs them.
    case logfmt
    /// A JSON object. Its first members are `time`, `level` and `message`; the others are in order of their names.
    case json

    /// Returns a handler that writes lines in this format.
    ///
    /// - Parameter write: Receives a line with its end; by default, the line is written to stderr in one call.
    public func handler(
        level: Logger.Level, write: @escaping @Sendable (String) -> Void = StandardError.write
    ) -> any LogHandler {
        switch self {
        case .logfmt: LogfmtHandler(level: level, write: write)
        case .json: JSONLogHandler(level: level, write: write)
        }
    }
}

/// A log handler that writes each event as a JSON object on one line, see `LogFormat.json`.
struct JSONLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let write: @Sendable (String) -> Void

    /// Fields whose values are numbers. All other values are strings, also those that consist of digits.
    private static let numbers: Set<String> = ["bytes", "count", "ms", "status"]

    init(level: Logger.Level, write: @escaping @Sendable (String) -> Void) {
        logLevel = level
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line =
            "{\"time\":\"\(LogTime.now)\",\"level\":\"\(event.level)\",\"message\":" + Self.quoted("\(event.message)")
        for (key, value) in fields(of: event) {
            line += "," + Self.quoted(key) + ":" + Self.json(value, of: key)
        }
        write(line + "}\n")
    }

    private static func json(_ value: String, of key: String) -> String {
        numbers.contains(key) ? Int64(value).map { "\($0)" } ?? quoted(value) : quoted(value)
    }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}

/// The time of a line.
enum LogTime {
    /// The present time, in RFC 3339 in UTC with milliseconds.
    static var now: String { Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) }
}

extension LogHandler {
    /// Returns the metadata of an event and of this handler, in order of their names, so that equal events result in
    /// equal lines.
    func fields(of event: LogEvent) -> [(key: String, value: String)] {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let given = event.metadata { all.merge(given) { $1 } }
        return all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    }
}
