extension String {
    /// The text with everything taken out of force that could steer a terminal or reorder what is read: control
    /// characters become their pictures (U+2400…), C1 controls and bidirectional overrides become U+FFFD. Line feeds
    /// and tabs stay where several lines are shown.
    public func neutralised(keepingLines: Bool = false) -> String {
        guard unicodeScalars.contains(where: { $0.isHarmful }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if keepingLines, scalar == "\n" || scalar == "\t" {
                result.append(scalar)
            } else {
                result.append(scalar.picture)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var isHarmful: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }

    fileprivate var picture: Unicode.Scalar {
        switch value {
        case 0x0A: " "
        case 0..<0x20: Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        default: isHarmful ? "\u{FFFD}" : self
        }
    }
}
