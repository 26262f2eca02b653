internal import Foundation
internal import Synchronization

/// A regular expression of a filter, compiled once. Case is ignored. Two of them are equal if their patterns are.
///
/// A filter may come from another device or an import, so its matches end after ``maximumTime``. ICU reports its progress
/// at each position of the text and at least every 10,000 steps; constructs of which a single step may read the whole
/// text are refused.
struct FilterRegex: Sendable, Equatable {
    /// The maximum length of a pattern in characters.
    static let maximumLength = 256
    /// The time that all matches of one filter may take together.
    static let maximumTime: Duration = .seconds(10)

    /// The text between the slashes.
    let pattern: String
    private let matching: Matching

    /// Compiles a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The text between the slashes.
    ///   - time: The time that all matches may take together.
    /// - Throws: `InputError` if it is too long, invalid or contains what is refused.
    init(_ pattern: String, time: Duration = FilterRegex.maximumTime) throws(InputError) {
        guard pattern.count <= Self.maximumLength else {
            throw .filter(.longPattern(length: pattern.count, maximum: Self.maximumLength))
        }
        if let construct = Self.refusedConstruct(in: pattern) {
            throw .filter(.refusedPattern(pattern, construct: construct))
        }
        self.pattern = pattern
        do { matching = try Matching(pattern, time: time) } catch { throw .filter(.invalidPattern(pattern)) }
    }

    /// Compiles the pattern of a word such as `/pattern/`; nil if it has another form.
    ///
    /// - Throws: As ``init(_:time:)``.
    init?(typed word: String) throws(InputError) {
        guard word.utf8.count > 2, word.hasPrefix("/"), word.hasSuffix("/") else { return nil }
        try self.init(String(word.dropFirst().dropLast()))
    }

    /// Whether a match was ended since it took too long or too much memory. Then nothing matches.
    var isExhausted: Bool { matching.isExhausted }

    /// Returns whether a part of the text matches.
    func matches(_ text: String) -> Bool { matching.matches(text) }

    static func == (left: Self, right: Self) -> Bool { left.pattern == right.pattern }

    /// Returns the first look-around, atomic group, back-reference or free-form flag of a pattern; nil: it has none. In a
    /// loop, each of the first three may read the whole text without a report of progress; with the flag, white space may
    /// hide them.
    private static func refusedConstruct(in pattern: String) -> String? {
        var rest = Substring(pattern)
        while let first = rest.first {
            if first == "\\", let escaped = rest.dropFirst().first {
                if escaped == "k" || ("1"..."9").contains(escaped) { return String(rest.prefix(2)) }
                rest = rest.dropFirst(2)
                continue
            }
            if rest.hasPrefix("(?"), !isAllowedGroup(rest.dropFirst(2)) {
                return String(rest.prefix(rest.hasPrefix("(?<") ? 4 : 3))
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Returns whether a group is one without captures (`(?:`), with a name (`(?<name>`) or with flags (`(?i)`, `(?s:`).
    ///
    /// - Parameter rest: The pattern after `(?`.
    private static func isAllowedGroup(_ rest: Substring) -> Bool {
        if rest.first == "<" { return rest.dropFirst().first?.isLetter == true }
        let end = rest.drop { "imsw-".contains($0) }.first
        return end == ":" || end == ")"
    }
}

/// A compiled expression, and the time that its matches may still take.
private final class Matching: Sendable {
    private let expression: NSRegularExpression
    /// Zero or less: the time is used up, or a match was ended.
    private let rest: Mutex<Duration>

    init(_ pattern: String, time: Duration) throws {
        // The same letter may be one scalar or two; ICU compares scalars.
        expression = try NSRegularExpression(
            pattern: pattern.precomposedStringWithCanonicalMapping, options: .caseInsensitive)
        rest = Mutex(time)
    }

    var isExhausted: Bool { rest.withLock { $0 <= .zero } }

    func matches(_ text: String) -> Bool {
        let allowed = rest.withLock { $0 }
        if allowed <= .zero { return false }
        let begin = ContinuousClock.now
        let text = text.precomposedStringWithCanonicalMapping
        var (isFound, isEnded) = (false, false)
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: text.utf16.count)
        ) { match, flags, stop in
            if match != nil { isFound = true }
            // ICU ends a match that needs more than 8 MB of memory, which is an internal error.
            if flags.contains(.internalError) || ContinuousClock.now - begin > allowed { isEnded = true }
            if isFound || isEnded { stop.pointee = true }
        }
        if isFound { isEnded = false }
        rest.withLock { $0 = isEnded ? .zero : $0 - (ContinuousClock.now - begin) }
        return isFound
    }
}
