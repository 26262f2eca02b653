public import Foundation
internal import Records

/// A time in an answer: RFC 3339 in UTC with milliseconds.
///
/// A client decodes any text, since the rest of the answer is useful without the time.
public struct WireMoment: Codable, Sendable, Equatable {
    /// The text on the wire.
    public let text: String

    /// Creates a time.
    ///
    /// - Parameter milliseconds: The time since 1970-01-01T00:00:00Z; outside `Timestamp.range`, the nearest second in
    ///   it.
    public init(milliseconds: Int64) { text = Timestamp.text(milliseconds: milliseconds) }

    /// Decodes any string.
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The time; nil if the text isn't RFC 3339.
    public var date: Date? { Date(rfc3339: text) }
}
