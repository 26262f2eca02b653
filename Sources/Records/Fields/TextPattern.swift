internal import Foundation
internal import Synchronization

/// A pattern of a text. Case is ignored, and accents are, except by a regular expression.
enum TextPattern: Sendable, Equatable {
    /// The text contains this one.
    case contains(String)
    /// The text begins with this one.
    case begins(String)
    /// The text ends with this one.
    case ends(String)
    /// The text contains this one between characters other than letters and digits.
    case word(String)
    /// A part of the text matches.
    case regex(FilterRegex)

    private static var options: String.CompareOptions { [.caseInsensitive, .diacriticInsensitive] }

    func matches(_ text: String) -> Bool {
        switch self {
        case .contains(let part): text.range(of: part, options: Self.options) != nil
        case .begins(let part): text.range(of: part, options: Self.options.union(.anchored)) != nil
        case .ends(let part): text.range(of: part, options: Self.options.union([.anchored, .backwards])) != nil
        case .word(let word): Self.hasWord(word, in: text)
        case .regex(let regex): regex.matches(text)
        }
    }

    private static func hasWord(_ word: String, in text: String) -> Bool {
        var rest = text.startIndex..<text.endIndex
        while let hit = text.range(of: word, options: options, range: rest), !hit.isEmpty {
            let before = text[..<hit.lowerBound].last
            let after = text[hit.upperBound...].first
            if ![before, after].contains(where: { $0?.isLetter == true || $0?.isNumber == true }) { return true }
            rest = hit.upperBound..<text.endIndex
        }
        return false
    }
}

/// A regular expression of a filter, compiled once. Case is ignored. Two of them are equal if their patterns are.
struct FilterRegex: Sendable, Equatable {
    /// The maximum length of a pattern in characters. It doesn't limit the time of a match: a short pattern with nested
    /// repetitions may take long.
    static let maximumLength = 256

    /// The text between the slashes.
    let pattern: String
    private let compiled: Compiled

    /// `Regex` isn't `Sendable`, so that only one task at a time uses it.
    private final class Compiled: Sendable {
        private let regex: Mutex<Regex<AnyRegexOutput>>

        init(_ pattern: String) throws { regex = Mutex(try Regex<AnyRegexOutput>(pattern).ignoresCase()) }

        func matches(_ text: String) -> Bool { regex.withLock { text.firstMatch(of: $0) != nil } }
    }

    /// Compiles a pattern.
    ///
    /// - Throws: `InputError` if it is too long or invalid.
    init(_ pattern: String) throws(InputError) {
        guard pattern.count <= Self.maximumLength else {
            throw .filter(.longPattern(length: pattern.count, maximum: Self.maximumLength))
        }
        self.pattern = pattern
        do { compiled = try Compiled(pattern) } catch {
            throw .filter(.invalidPattern(pattern, reason: "\(error)"))
        }
    }

    /// Compiles the pattern of a word such as `/pattern/`; nil if it has another form.
    ///
    /// - Throws: As ``init(_:)``.
    init?(typed word: String) throws(InputError) {
        guard word.utf8.count > 2, word.hasPrefix("/"), word.hasSuffix("/") else { return nil }
        try self.init(String(word.dropFirst().dropLast()))
    }

    func matches(_ text: String) -> Bool { compiled.matches(text) }

    static func == (left: Self, right: Self) -> Bool { left.pattern == right.pattern }
}
