public import Foundation

/// The time zone of this process: that of the variable `TZ` as tzset(3) describes it, or else that of the system.
///
/// Foundation reads only names in `TZ`, and uses UTC in place of any other form.
public struct SystemTimeZone: Sendable, Equatable {
    /// The time zone.
    public let timeZone: TimeZone
    /// The text of `TZ` in whose place UTC is used, since it isn't known here; nil: there is none.
    public let unknown: String?

    /// The time zone of this process.
    public static let current = SystemTimeZone(variable: ProcessInfo.processInfo.environment["TZ"])

    /// Parses the value of `TZ`.
    ///
    /// - Parameters:
    ///   - variable: The value; nil: it isn't set.
    ///   - target: Returns the path to which a symbolic link leads, or the path itself.
    init(
        variable: String?, target: (String) -> String = { URL(filePath: $0).resolvingSymlinksInPath().path }
    ) {
        // A colon precedes what isn't a rule of POSIX.
        guard let text = variable.map({ $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }) else {
            self.init(.current)
            return
        }
        if text.isEmpty {
            self.init(.gmt)
        } else if let timeZone = Self.fixed(text) ?? Self.named(text) ?? Self.named(target(text)) {
            self.init(timeZone)
        } else {
            self.init(.gmt, unknown: variable)
        }
    }

    private init(_ timeZone: TimeZone, unknown: String? = nil) { (self.timeZone, self.unknown) = (timeZone, unknown) }

    /// The warning to the user about a value of `TZ` that isn't known; nil: none is needed.
    public var warning: String? {
        unknown.map {
            "The variable TZ is “\($0)”, which isn't a time zone that is known here, so times are in UTC. Set TZ to a name "
                + "such as Europe/Berlin."
        }
    }

    /// Parses a name, or the path of a file of the time zone database.
    private static func named(_ text: String) -> TimeZone? {
        let path = text.components(separatedBy: "/zoneinfo/")
        guard let last = path.last, path.count > 1 || !text.hasPrefix("/") else { return nil }
        // The folders of the same time zones with and without leap seconds.
        let folder = ["posix/", "right/"].first(where: last.hasPrefix) ?? ""
        return ZoneName(last.dropFirst(folder.count))?.timeZone
    }

    /// Parses a rule of POSIX without daylight saving time, such as `EST5` or `<+03>-3`. Its offset is positive west of
    /// Greenwich.
    private static func fixed(_ text: String) -> TimeZone? {
        let rule = /(?:[A-Za-z]{3,}|<[A-Za-z0-9+\-]{3,}>)([+\-]?)(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?/
        guard let match = text.wholeMatch(of: rule), let hours = Int(match.2), hours <= 24 else { return nil }
        let parts = [match.3, match.4].map { $0.flatMap { Int($0) } ?? 0 }
        let west = hours * 3_600 + parts[0] * 60 + parts[1]
        return TimeZone(secondsFromGMT: match.1 == "-" ? west : -west)
    }
}
