public import Foundation

extension JSONEncoder {
    /// An encoder that writes states as every adapter for programs does: in one line, names sorted, slashes as they are, and
    /// times as RFC 3339 with milliseconds in UTC.
    public static var forStates: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        return encoder
    }
}
