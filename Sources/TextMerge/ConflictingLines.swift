/// Lines of which a merge could keep neither version alone: the places of both versions in the two texts that were merged,
/// counted in lines from 0.
public struct TextOverlap: Sendable, Equatable {
    /// The lines in the text that was edited first.
    public let earlier: Range<Int>
    /// The lines in the text that was edited last.
    public let later: Range<Int>

    public init(earlier: Range<Int>, later: Range<Int>) {
        self.earlier = earlier
        self.later = later
    }

    /// The lines of a region that differ; equal lines at its beginning and its end are left out.
    init(_ earlier: [Int], _ earlierRegion: Range<Int>, _ later: [Int], _ laterRegion: Range<Int>) {
        var (one, other) = (earlier[earlierRegion], later[laterRegion])
        let head = zip(one, other).prefix { $0 == $1 }.count
        (one, other) = (one.dropFirst(head), other.dropFirst(head))
        let tail = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
        (one, other) = (one.dropLast(tail), other.dropLast(tail))
        self.init(earlier: one.startIndex..<one.endIndex, later: other.startIndex..<other.endIndex)
    }
}

/// The two versions of the lines in conflict, to choose between them in a text that was changed since the merge.
///
/// Each choice is a three-way merge: the base is one of the merged texts, one side is the present text, the other side is
/// the base with the chosen version in the place of the lines in conflict. So only these lines change.
public struct ConflictingLines: Sendable {
    private let earlier: [Substring]
    private let later: [Substring]
    private let overlaps: [TextOverlap]

    /// - Parameters:
    ///   - earlier: the text that was edited first, whole.
    ///   - later: the text that was edited last, whole.
    ///   - overlaps: the lines in conflict.
    /// - Returns: nil if there are none, or the texts don't have such lines.
    public init?(earlier: String, later: String, overlaps: [TextOverlap]) {
        (self.earlier, self.later, self.overlaps) = (Self.lines(of: earlier), Self.lines(of: later), overlaps)
        guard !overlaps.isEmpty, Self.fit(overlaps.map(\.earlier), self.earlier.count),
            Self.fit(overlaps.map(\.later), self.later.count)
        else { return nil }
    }

    /// The text with one version of the lines in conflict; all other lines stay. Nil if the lines in conflict, or lines
    /// next to them, were changed to something else since.
    public func choosing(_ version: MarkedText.Version, in text: String) -> String? {
        merged(into: text, Content(version))
    }

    /// The text with both versions of the lines in conflict between markers, as a person edits it. Where these lines were
    /// changed to something else, the present lines and those of the later version are between the markers.
    public func marked(in text: String) -> String {
        merged(into: text, .marked)
            ?? MergedText(base: side(.earlier, .earlier), earlier: text, later: side(.earlier, .later)).text
    }

    private func merged(into text: String, _ wanted: Content) -> String? {
        for present in [Content.earlier, .later, .both] where present != wanted {
            let base = side(present, present)
            let chosen = side(present, wanted)
            // The same lines in both prove nothing about the text.
            if base == chosen { continue }
            let merge = MergedText(base: base, earlier: text, later: chosen)
            if !merge.hasOverlaps { return merge.text }
        }
        return nil
    }

    /// What is in the place of the lines in conflict.
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

    /// One of the two texts (the later one for `.later`, else the earlier one) with this content in the place of its lines
    /// in conflict.
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

    private static func fit(_ places: [Range<Int>], _ count: Int) -> Bool {
        let ends = places.flatMap { [$0.lowerBound, $0.upperBound] }
        let areInOrder = zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 }
        return areInOrder && (ends.last ?? 0) <= count && (ends.first ?? 0) >= 0
    }

    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
