public import Foundation

extension HTTPHead {
    /// The server's clock when it answered (`Date`, RFC 9110, 6.6.1), for comparison with the local clock.
    public var date: Date? { header("Date").flatMap(Self.date(fromHTTP:)) }

    /// How long the server is busy (`Retry-After`, RFC 9110, 10.2.3): seconds, or a date, which is taken relative
    /// to the answer's own `Date`, or else to `now`. Never negative.
    public func retryAfter(now: Date) -> Duration? {
        guard let text = header("Retry-After") else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return .seconds(seconds) }
        return Self.date(fromHTTP: text).map { .seconds(max(0, $0.timeIntervalSince(date ?? now))) }
    }

    /// Parses an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). The two obsolete forms, which must
    /// not be sent, are not parsed.
    static func date(fromHTTP text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return try? Date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
