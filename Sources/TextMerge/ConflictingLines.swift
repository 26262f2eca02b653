/// Lines of which a merge could not keep one version alone: their places in the two merged texts, in lines counted from
/// 0.
public struct TextOverlap: Sendable, Equatable {
    /// The lines in the text that was edited first.
    public let earlier: Range<Int>
    /// The lines in the text that was edited last.
    public let later: Range<Int>

    /// Creates an overlap.
    public init(earlier: Range<Int>, later: Range<Int>) {
        self.earlier = earlier
        self.later = later
    }

    /// Creates an overlap of the lines of a region that differ; equal lines at its beginning and end are omitted.
    init(_ earlier: [Int], _ earlierRegion: Range<Int>, _ later: [Int], _ laterRegion: Range<Int>) {
        var (one, other) = (earlier[earlierRegion], later[laterRegion])
        let head = zip(one, other).prefix { $0 == $1 }.count
        (one, other) = (one.dropFirst(head), other.dropFirst(head))
        let tail = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
        (one, other) = (one.dropLast(tail), other.dropLast(tail))
        self.init(earlier: one.startIndex..<one.endIndex, later: other.startIndex..<other.endIndex)
    }
}

/// The two versions of the lines in conflict, to choose between them in a text that may have been changed since the
/// merge.
///
/// Each choice is a three-way merge: the base is one of the merged texts, one side is the present text, the other side
/// is the base with the chosen version of the lines in conflict. So only these lines change.
public struct ConflictingLines: Sendable {
    private let earlier: [Substring]
    private let later: [Substring]
    private let overlaps: [TextOverlap]

    /// Creates the versions of a conflict.
    ///
    /// - Parameters:
    ///   - earlier: The whole text that was edited first.
    ///   - later: The whole text that was edited last.
    ///   - overlaps: The lines in conflict.
    /// - Returns: Nil if there are no such lines, or the texts don't have lines at these places.
    public init?(earlier: String, later: String, overlaps: [TextOverlap]) {
        (self.earlier, self.later, self.overlaps) = (Self.lines(of: earlier), Self.lines(of: later), overlaps)
        guard !overlaps.isEmpty, Self.fit(overlaps.map(\.earlier), self.earlier.count),
            Self.fit(overlaps.map(\.later), self.later.count)
        else { return nil }
    }

    /// Returns the text with one version of the lines in conflict; all other lines are kept. Nil if the lines in
    /// conflict, or lines next to them, have been changed to something else since the merge.
    public func choosing(_ version: MarkedText.Version, in text: String) -> String? {
        merged(into: text, Content(version))
    }

    /// Returns the text with both versions of the lines in conflict between markers, for an editor. If these lines have
    /// been changed to something else, the present lines and those of the later version are between the markers.
    public func marked(in text: String) -> String {
        merged(into: text, .marked)
            ?? MergedText(base: side(.earlier, .earlier), earlier: text, later: side(.earlier, .later)).text
    }

    private func merged(into text: String, _ wanted: Content) -> String? {
        // Which version the text has now isn't stored. Each is tried as the base: if the merge is clean, the text has
        // that version.
        for present in [Content.earlier, .later, .both] where present != wanted {
            let base = side(present, present)
            let chosen = side(present, wanted)
            // A merge whose base equals a side is always clean, and shows nothing about the text.
            if base == chosen { continue }
            let merge = MergedText(base: base, earlier: text, later: chosen)
            if !merge.hasOverlaps { return merge.text }
        }
        return nil
    }

    /// The content in the place of the lines in conflict.
    private enum Content {
        case earlier, later, both, marked

        init(_ version: MarkedText.Version) {
            self =
                switch version {
                case .earlier: .earlier
                case .later: .later
                case .both: .both
                }
        }
    }

    /// Returns one of the two texts (the later one for `.later`, else the earlier one) with this content in the place
    /// of its lines in conflict.
    private func side(_ side: Content, _ content: Content) -> String {
        let isLater = side == .later
        let lines = isLater ? later : earlier
        var result: [Substring] = []
        var position = 0
        for overlap in overlaps {
            let place = isLater ? overlap.later : overlap.earlier
            result += lines[position..<place.lowerBound]
            result += self.lines(content, of: overlap)
            position = place.upperBound
        }
        return (result + lines[position...]).joined(separator: "\n")
    }

    private func lines(_ content: Content, of overlap: TextOverlap) -> [Substring] {
        let (one, other) = (Array(earlier[overlap.earlier]), Array(later[overlap.later]))
        return switch content {
        case .earlier: one
        case .later: other
        case .both: one + other
        case .marked: [Substring(Markers.start)] + one + [Substring(Markers.middle)] + other + [Substring(Markers.end)]
        }
    }

    /// Returns whether the places are in order and within a text of `count` lines. They come from a synced record, and
    /// slicing at invalid ones would be a runtime error.
    private static func fit(_ places: [Range<Int>], _ count: Int) -> Bool {
        let ends = places.flatMap { [$0.lowerBound, $0.upperBound] }
        let areInOrder = zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 }
        return areInOrder && (ends.last ?? 0) <= count && (ends.first ?? 0) >= 0
    }

    private static func lines(of text: String) -> [Substring] {
        // By bytes: "\r\n" is one `Character`, so that splitting at the `Character` "\n" would not split lines that end
        // in CRLF.
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
