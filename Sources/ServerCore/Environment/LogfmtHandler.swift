internal import Foundation
public import Logging
internal import Records

/// A log handler that writes each event as one line of `key=value` to stderr.
public struct LogfmtHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Receives a line with its end; by default, the line is written to stderr in one call.
    public init(level: Logger.Level, write: @escaping @Sendable (String) -> Void = Self.toStandardError) {
        logLevel = level
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let given = event.metadata { all.merge(given) { $1 } }
        var line =
            "time=\(Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))) level=\(event.level)"
        line += " message=" + Self.quoted("\(event.message)")
        // Sorted, so that equal events give equal lines.
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=" + Self.quoted("\(value)") }
        write(line + "\n")
    }

    /// Writes to file descriptor 2 in one call, so that lines of several threads don't mix.
    public static let toStandardError: @Sendable (String) -> Void = { line in
        FileHandle.standardError.write(Data(line.utf8))
    }

    /// Returns the value unchanged, or in quotes with escapes if it would break the line. A line break could forge an
    /// entry.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" && $0.value != 0x7F }
        if isPlain { return text }
        let escaped = text.unicodeScalars.map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" || scalar == "\\"
                ? scalar.escaped(asASCII: false) : String(scalar)
        }
        return "\"" + escaped.joined() + "\""
    }
}
