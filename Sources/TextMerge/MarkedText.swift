/// A text with both versions of some lines between markers, as a merge writes it.
///
/// The markers are ordinary lines, and a text may contain such lines itself (a heading underlined with seven `=`, the
/// result of an earlier merge). So a block counts only if its two parts occur in the two merged versions.
public struct MarkedText: Sendable {
    /// The version of the lines in conflict to keep.
    public enum Version: Sendable {
        /// The version that was edited first, or last.
        case earlier, later
        /// Both versions, the earlier one first, without the markers.
        case both
    }

    /// The number of lines of `=======` in a block up to which the middle is determined.
    private static let mostMiddles = 100

    private let lines: [Substring]
    private let blocks: [Block]

    /// Finds the blocks that the merge of two versions wrote.
    ///
    /// - Parameters:
    ///   - text: The merged text.
    ///   - earlier: The whole version that was edited first.
    ///   - later: The whole version that was edited last.
    /// - Returns: Nil if there are no blocks, or if the origin of their lines can't be determined.
    public init?(_ text: String, earlier: String, later: String) {
        lines = Self.lines(of: text)
        // Compared without carriage returns: a merge writes them with the markers and may add one to a last line.
        let bare = lines.map(Self.bare)
        let (one, other) = (Self.lines(of: earlier).map(Self.bare), Self.lines(of: later).map(Self.bare))
        guard let ranges = Self.ranges(in: bare) else { return nil }
        var blocks: [Block] = []
        // A block that occurs unchanged in one of the versions was written by an earlier merge.
        for range in ranges where !one.hasRun(bare[range]) && !other.hasRun(bare[range]) {
            let candidates = range.filter { bare[$0] == Markers.middle }
            // Each candidate is searched for in both versions, so that many of them would take minutes.
            guard candidates.count <= Self.mostMiddles else { return nil }
            let middles = candidates.filter { place in
                one.hasRun(bare[range.lowerBound + 1..<place])
                    && other.hasRun(bare[place + 1..<range.upperBound - 1])
            }
            // With several possible middles, a choice might drop lines of the wrong version.
            guard middles.count == 1 else { return nil }
            blocks.append(Block(range: range, middle: middles[0]))
        }
        if blocks.isEmpty { return nil }
        self.blocks = blocks
    }

    /// Returns the text with one version of the lines in conflict, or both, without markers; all other lines are
    /// unchanged.
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

    /// Returns the lines at the end of a text without the carriage return of the last one, which the merge added
    /// because a marker followed.
    private static func unended(_ lines: [Substring]) -> [Substring] {
        lines.dropLast() + lines.suffix(1).map(bare)
    }

    /// Returns the blocks, each with its first and last marker; nil if a marker has no counterpart.
    private static func ranges(in lines: [Substring]) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        var (depth, start) = (0, 0)
        for (place, line) in lines.enumerated() {
            if line == Markers.start {
                // Blocks of earlier merges may be nested in a block; only the outermost one counts.
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
        // By bytes: "\r\n" is one `Character`, so that splitting at the `Character` "\n" would not split lines that end
        // in CRLF.
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    private static func bare(_ line: Substring) -> Substring { line.endsInCR ? line.dropLast() : line }

    /// A block: the range of its lines, both markers included, and the index of the marker between the versions.
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
    /// Returns whether the array contains these lines consecutively.
    fileprivate func hasRun(_ run: ArraySlice<Substring>) -> Bool {
        guard let first = run.first else { return true }
        return indices.contains { self[$0] == first && self[$0...].starts(with: run) }
    }
}
