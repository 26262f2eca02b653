public import Logging
internal import Records

/// A log handler that writes each event as one line of `key=value` to stderr.
public struct LogfmtHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Receives a line with its end; by default, the line is written to stderr in one call.
    public init(level: Logger.Level, write: @escaping @Sendable (String) -> Void = StandardError.write) {
        logLevel = level
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var line = "time=\(LogTime.now) level=\(event.level) message=" + Self.quoted("\(event.message)")
        for (key, value) in fields(of: event) { line += " \(key)=" + Self.quoted(value) }
        write(line + "\n")
    }

    /// Returns the value unchanged, or in quotes with escapes if it would break the line. A line break could forge an
    /// entry.
    private static func quoted(_ text: String) -> String {
        // Most values are of these characters alone.
        let equals = UInt8(ascii: "=")
        if !text.isEmpty, text.utf8.allSatisfy({ (0x23...0x7E).contains($0) && $0 != equals }) { return text }
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" && !isControl($0) }
        if isPlain { return text }
        let escaped = text.unicodeScalars.map { scalar in
            isControl(scalar) || scalar == "\"" || scalar == "\\"
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"" + escaped.joined() + "\""
    }

    /// Returns whether a character controls a terminal or may end a line: C0, DEL, C1, and the separators of lines and
    /// paragraphs.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }
}
