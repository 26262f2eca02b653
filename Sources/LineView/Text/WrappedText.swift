extension String {
    /// The text in lines of at most this many columns, cut between words; a word that is wider has a line of its own.
    func wrapped(toWidth width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let wide = word.displayWidth
            if !lines.isEmpty || !line.isEmpty, used + 1 + wide > width {
                lines.append(line)
                (line, used) = (String(word), wide)
            } else {
                let gap = line.isEmpty && used == 0 ? "" : " "
                line += gap + word
                used += gap.count + wide
            }
        }
        return lines + [line]
    }
}

extension Unicode.Scalar {
    /// Whether it is written from right to left, so that it may draw what stands beside it along (Hebrew, Arabic and their
    /// neighbours: UAX #9, classes R and AL by block).
    var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
