internal import Foundation

/// Moments as the states show them.
enum Timestamp {
    /// RFC 3339 in UTC, to the second.
    static func text(milliseconds: UInt64) -> String {
        Date(timeIntervalSince1970: TimeInterval(milliseconds / 1_000)).formatted(.iso8601)
    }
}
