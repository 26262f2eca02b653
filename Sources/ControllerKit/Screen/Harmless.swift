extension Unicode.Scalar {
    /// What a view shows in this scalar's place, so that a text from outside can't steer a terminal or reorder what is
    /// read: control characters become their pictures (U+2400…), C1 controls, line separators and bidirectional controls
    /// U+FFFD. Line feeds and tabs stay; a medium that shows single lines replaces them itself.
    public var harmless: Unicode.Scalar {
        switch value {
        case 0x09, 0x0A: self
        case 0..<0x20: Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
        default: self
        }
    }
}
