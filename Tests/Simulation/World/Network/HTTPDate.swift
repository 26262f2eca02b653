import Records

/// An IMF-fixdate (RFC 9110, 5.6.7).
enum HTTPDate {
    /// - Parameter milliseconds: since 1970.
    static func text(milliseconds: Int64) -> String {
        let parts = Timestamp.text(milliseconds: milliseconds)
        let (date, time) = (parts.prefix(10).split(separator: "-"), parts.dropFirst(11).prefix(8))
        let weekday = days[Int(milliseconds / 86_400_000) % 7]
        return "\(weekday), \(date[2]) \(months[(Int(date[1]) ?? 1) - 1]) \(date[0]) \(time) GMT"
    }

    /// The first of January 1970 was a Thursday.
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
