/// A text in which a merge left both versions of some lines, between markers.
///
/// The markers are ordinary lines, and texts may contain such lines (a heading underlined with seven `=`, the result
/// of an earlier merge). So a block counts only if its two parts occur in the two versions that were merged.
public struct MarkedText: Sendable {
    /// The version of those lines to keep.
    public enum Version: Sendable {
        /// That of the edit made first, or of the one made last.
        case earlier, later
        /// Both, the earlier one first, without the markers.
        case both
    }

    private let lines: [Substring]
    private let blocks: [Block]

    /// Finds the blocks that the merge of two versions left.
    ///
    /// - Parameters:
    ///   - text: what the merge made.
    ///   - earlier: the version that was edited first, whole.
    ///   - later: the version that was edited last, whole.
    /// - Returns: nil if there are none, or if the origin of the lines can't be determined.
    public init?(_ text: String, earlier: String, later: String) {
        lines = Self.lines(of: text)
        let bare = lines.map(Self.bare)
        let (one, other) = (Self.lines(of: earlier).map(Self.bare), Self.lines(of: later).map(Self.bare))
        guard let ranges = Self.ranges(in: bare) else { return nil }
        var blocks: [Block] = []
        // A block that occurs unchanged in one of the versions is older than this merge.
        for range in ranges where !one.hasRun(bare[range]) && !other.hasRun(bare[range]) {
            let middles = range.filter { place in
                bare[place] == Markers.middle && one.hasRun(bare[range.lowerBound + 1..<place])
                    && other.hasRun(bare[place + 1..<range.upperBound - 1])
            }
            guard middles.count == 1 else { return nil }
            blocks.append(Block(range: range, middle: middles[0]))
        }
        if blocks.isEmpty { return nil }
        self.blocks = blocks
    }

    /// The text with one version of those lines, or both, and no markers; all others as they are.
    public func keeping(_ version: Version) -> String {
        var kept: [Substring] = []
        var place = 0
        for block in blocks {
            kept += lines[place..<block.range.lowerBound]
            let chosen = block.lines(version).flatMap { lines[$0] }
            place = block.range.upperBound
            kept += place == lines.count && lines[block.middle].endsInCR ? Self.unended(chosen) : chosen
        }
        return (kept + lines[place...]).joined(separator: "\n")
    }

    /// Lines at the end of a text: the last one has no line end there, which the marker behind it had made necessary.
    private static func unended(_ lines: [Substring]) -> [Substring] {
        lines.dropLast() + lines.suffix(1).map(bare)
    }

    /// The blocks between a first and a last marker, both included; nil where a marker lacks its other one.
    private static func ranges(in lines: [Substring]) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        var (depth, start) = (0, 0)
        for (place, line) in lines.enumerated() {
            if line == Markers.start {
                if depth == 0 { start = place }
                depth += 1
            } else if line == Markers.end, depth > 0 {
                depth -= 1
                if depth == 0 { ranges.append(start..<place + 1) }
            }
        }
        return depth == 0 ? ranges : nil
    }

    /// The text between line feeds.
    private static func lines(of text: String) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func bare(_ line: Substring) -> Substring { line.endsInCR ? line.dropLast() : line }

    /// A block of one region: from its first marker to behind its last one.
    private struct Block {
        let range: Range<Int>
        let middle: Int

        func lines(_ version: Version) -> [Range<Int>] {
            let (earlier, later) = (range.lowerBound + 1..<middle, middle + 1..<range.upperBound - 1)
            return switch version {
            case .earlier: [earlier]
            case .later: [later]
            case .both: [earlier, later]
            }
        }
    }
}

extension Substring {
    fileprivate var endsInCR: Bool { utf8.last == UInt8(ascii: "\r") }
}

extension [Substring] {
    /// Whether these lines occur in it consecutively.
    fileprivate func hasRun(_ run: ArraySlice<Substring>) -> Bool {
        guard let first = run.first else { return true }
        return indices.contains { self[$0] == first && self[$0...].starts(with: run) }
    }
}
