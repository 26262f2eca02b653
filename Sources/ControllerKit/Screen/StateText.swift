internal import SafeText
public import Foundation

extension JSONEncoder {
    /// Encodes a state for programs: JSON on one line, sorted names, unescaped slashes, and dates as RFC 3339 in UTC,
    /// with milliseconds unless they are 0.
    ///
    /// Characters that are unsafe on a terminal (see `String.sanitized`) are escaped, as in `\u009b`: the output may be
    /// displayed there, and a parser reads the same value.
    public static func stateText(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let isWhole = date.timeIntervalSince1970.rounded(.down) == date.timeIntervalSince1970
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole)))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self).escapingUnsafeInJSON
    }
}

extension String {
    /// The JSON text with escapes for the characters that are unsafe on a terminal (see `String.sanitized`).
    package var escapingUnsafeInJSON: String {
        // Outside of its strings, JSON from an encoder has only safe ASCII characters: every escape is within a string.
        replacingUnsafe { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}
