internal import Foundation

/// Finds the words of a search in a text, so that a view can mark them: the same words that the full-text index finds.
///
/// A word is a run of letters, digits and symbols; case and accents are ignored, and the last word of each phrase
/// matches by its beginning. Several words that were typed as one, in quotes, must be consecutive.
public struct SearchedText: Sendable, Equatable {
    /// The words of each phrase, folded.
    private let phrases: [[String]]

    /// Creates a search for these words or phrases.
    public init(_ words: [String]) {
        phrases = words.map { Self.words(of: $0).map(\.folded) }.filter { !$0.isEmpty }
    }

    /// Returns the whole text in pieces; empty for an empty text.
    public func pieces(of text: String) -> [TextPiece] { Self.pieces(of: text[...], hits: hits(in: text)) }

    /// Returns the part of a text around the first hit, in one line, with `…` where it is cut; empty if there is no
    /// hit.
    ///
    /// - Parameters:
    ///   - text: The searched text.
    ///   - length: The approximate length in characters.
    public func excerpt(of text: String, length: Int = 100) -> [TextPiece] {
        let line = String(text.map { $0.isWhitespace ? " " : $0 }).trimmingCharacters(in: .whitespaces)
        let hits = hits(in: line)
        guard let first = hits.first else { return [] }
        // A third of the excerpt is before the hit.
        let before = line.index(first.lowerBound, offsetBy: -length / 3, limitedBy: line.startIndex) ?? line.startIndex
        let start = before == line.startIndex ? before : Self.wordStart(in: line, from: before, to: first.lowerBound)
        let last = line.index(start, offsetBy: length, limitedBy: line.endIndex) ?? line.endIndex
        // A hit that is longer than the excerpt is shown whole.
        let end = max(last, first.upperBound)
        let inside = hits.filter { $0.upperBound <= end }
        let pieces = Self.pieces(of: line[start..<end], hits: inside)
        return (start > line.startIndex ? [TextPiece("…")] : []) + pieces
            + (end < line.endIndex ? [TextPiece("…")] : [])
    }

    // MARK: Words

    private struct Word {
        let range: Range<String.Index>
        let folded: String
    }

    private static func words(of text: String) -> [Word] {
        var words: [Word] = []
        var start: String.Index?
        for index in text.indices {
            if isPartOfWord(text[index]) {
                start = start ?? index
            } else if let begin = start {
                words.append(word(text, begin..<index))
                start = nil
            }
        }
        if let start { words.append(word(text, start..<text.endIndex)) }
        return words
    }

    private static func word(_ text: String, _ range: Range<String.Index>) -> Word {
        let folded = text[range].folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        return Word(range: range, folded: folded)
    }

    private static func isPartOfWord(_ character: Character) -> Bool {
        // The categories of the index: its tokenizer has `L* M* N* Co So`. Marks (M) belong to the character before
        // them.
        switch character.unicodeScalars.first?.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .otherSymbol, .privateUse:
            true
        default: false
        }
    }

    // MARK: Hits

    /// Returns the ranges of the phrases, in order, without overlaps.
    private func hits(in text: String) -> [Range<String.Index>] {
        let words = Self.words(of: text)
        var hits: [Range<String.Index>] = []
        var index = 0
        while index < words.count {
            // Of several phrases that begin here, the longest is marked.
            let count = phrases.lazy.filter { Self.occurs($0, in: words[index...]) }.map(\.count).max() ?? 0
            if count > 0 { hits.append(words[index].range.lowerBound..<words[index + count - 1].range.upperBound) }
            index += max(count, 1)
        }
        return hits
    }

    private static func occurs(_ phrase: [String], in words: ArraySlice<Word>) -> Bool {
        guard phrase.count <= words.count, let last = phrase.last else { return false }
        let found = words.prefix(phrase.count).map(\.folded)
        return found.dropLast().elementsEqual(phrase.dropLast()) && found.last?.hasPrefix(last) == true
    }

    private static func pieces(of text: Substring, hits: [Range<String.Index>]) -> [TextPiece] {
        var pieces: [TextPiece] = []
        var index = text.startIndex
        for hit in hits where hit.lowerBound >= index && hit.upperBound <= text.endIndex {
            if index < hit.lowerBound { pieces.append(TextPiece(String(text[index..<hit.lowerBound]))) }
            pieces.append(TextPiece(String(text[hit]), isHit: true))
            index = hit.upperBound
        }
        if index < text.endIndex { pieces.append(TextPiece(String(text[index...]))) }
        return pieces
    }

    /// Returns the start of the first whole word after a place.
    private static func wordStart(in line: String, from place: String.Index, to end: String.Index) -> String.Index {
        guard let space = line[place..<end].firstIndex(of: " ") else { return place }
        return line.index(after: space)
    }
}

/// A piece of a searched text: a hit, or the text between hits.
public struct TextPiece: Codable, Equatable, Sendable {
    /// The piece as it is in the text.
    public let text: String
    /// Whether the piece is a hit.
    public let isHit: Bool

    /// Creates a piece.
    public init(_ text: String, isHit: Bool = false) {
        self.text = text
        self.isHit = isHit
    }
}
