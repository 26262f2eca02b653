import Terminal

/// A horizontal bar in a line of text.
enum Bar {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// Returns a bar for a count; of the largest count, as wide as `width`. A count above 0 is always visible.
    static func counted(_ count: Int, of largest: Int, width: Int, on page: LinePage) -> String {
        guard count > 0, largest > 0 else { return "" }
        if !page.drawsBlocks {
            return String(repeating: "#", count: max(1, (count * width + largest / 2) / largest))
        }
        let parts = max(1, (count * width * 8 + largest / 2) / largest)
        return String(repeating: "█", count: parts / 8) + eighths[parts % 8]
    }

    /// Returns a bar of which a share is filled: `████░░░░`, in ASCII `####....`. It is full only if the share is 1.
    static func filled(_ share: Double, width: Int, on page: LinePage) -> String {
        let full = share >= 1 ? width : min(width - 1, Int((share * Double(width)).rounded()))
        let (filled, empty) = page.drawsBlocks ? ("█", "░") : ("#", ".")
        return String(repeating: filled, count: full) + String(repeating: empty, count: width - full)
    }
}
