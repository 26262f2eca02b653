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
