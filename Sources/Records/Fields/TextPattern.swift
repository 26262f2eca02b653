internal import Foundation

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
///
/// `@unchecked Sendable`: a `Regex` that is parsed from a text contains no closures, and the standard library stores its
/// compiled program atomically.
struct FilterRegex: @unchecked Sendable, Equatable {
    /// The maximum length of a pattern in characters. It limits the work that a pattern can cause, such as by nested
    /// repetitions.
    static let maximumLength = 256

    /// The text between the slashes.
    let pattern: String
    private let regex: Regex<AnyRegexOutput>

    /// Compiles a pattern.
    ///
    /// - Throws: `InputError` if it is too long or invalid.
    init(_ pattern: String) throws(InputError) {
        guard pattern.count <= Self.maximumLength else {
            throw .filter(.longPattern(length: pattern.count, maximum: Self.maximumLength))
        }
        self.pattern = pattern
        do { regex = try Regex<AnyRegexOutput>(pattern).ignoresCase() } catch {
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

    func matches(_ text: String) -> Bool { text.firstMatch(of: regex) != nil }

    static func == (left: Self, right: Self) -> Bool { left.pattern == right.pattern }
}
