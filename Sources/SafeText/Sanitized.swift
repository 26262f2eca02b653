extension String {
    /// The text for a view. Text from outside then can't control a terminal, reorder the displayed text or hide
    /// characters.
    ///
    /// Control characters become their pictures (U+2400 and following). C1 controls, line separators and bidirectional
    /// controls become U+FFFD. Invisible characters (the Unicode property Default_Ignorable_Code_Point: zero-width
    /// spaces and joiners, direction marks, tags, a byte order mark within a text) are named: `‹U+200B›`. Line feeds
    /// and tabs are kept; a medium of single lines replaces them itself.
    ///
    /// Characters that the text needs are kept: variation selectors, joiners within emoji and within scripts that use
    /// them (Persian, Hindi and others; UAX #31, section 2.3), direction marks next to letters of a script that is written
    /// from right to left, and the tags of a region's flag.
    public var sanitized: String { replacingUnsafe(with: \.shown) }

    /// Whether a view may show the text unchanged, on one line.
    public var isSanitized: Bool {
        !unicodeScalars.contains { $0 == "\n" || $0 == "\t" } && sanitized.utf8.elementsEqual(utf8)
    }

    /// Returns the text with each scalar replaced that `sanitized` would change.
    public func replacingUnsafe(with replacement: (Unicode.Scalar) -> String) -> String {
        // Most texts are plain ASCII.
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }) { return self }
        var result = UnicodeScalarView()
        var rest = unicodeScalars[...]
        var previous: Unicode.Scalar?
        while let scalar = rest.first {
            // First, since the tags of a flag are invisible characters by themselves.
            let flag = scalar == "\u{1F3F4}" ? rest.regionFlagCount : 0
            if flag > 0 {
                result.append(contentsOf: rest.prefix(flag))
                previous = nil
                rest = rest.dropFirst(flag)
                continue
            }
            rest.removeFirst()
            if scalar.isUnsafe, !scalar.isJoiner(between: previous, and: rest.first) {
                result.append(contentsOf: replacement(scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// The replacement of an unsafe scalar.
    fileprivate var shown: String {
        switch value {
        case 0..<0x20: String(Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}")
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
        default: "‹U+" + hexadecimal + "›"
        }
    }

    /// The number in at least four digits, as in Unicode's notation.
    private var hexadecimal: String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
    }

    /// Whether the scalar controls a terminal, reorders text or is invisible. Joiners are checked separately.
    fileprivate var isUnsafe: Bool {
        switch value {
        case 0x09, 0x0A: false
        // U+FFF9 to U+FFFB, interlinear annotations, are format characters without the property below.
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFFF9...0xFFFB: true
        case 0x20..<0x7F: false
        // Variation selectors have the property, but only change the character before them.
        default: properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    /// Whether the scalar is a joiner or a direction mark that the text needs at this position.
    fileprivate func isJoiner(between previous: Unicode.Scalar?, and next: Unicode.Scalar?) -> Bool {
        if [0x061C, 0x200E, 0x200F].contains(value) {
            return previous?.isRightToLeft == true || next?.isRightToLeft == true
        }
        guard [0x180E, 0x200C, 0x200D].contains(value), let previous else { return false }
        if value == 0x200D, previous.isPartOfEmoji, next?.isPartOfEmoji == true { return true }
        // After a virama, a joiner selects the form of the consonant, also at the end of a word.
        let hasVirama = previous.properties.canonicalCombiningClass == .virama
        return previous.isOfJoiningScript && (hasVirama || next?.isOfJoiningScript == true)
    }

    /// Whether an emoji may contain the scalar. Digits and `#` have the emoji property, but are text.
    private var isPartOfEmoji: Bool { value == 0xFE0F || value > 0xFF && properties.isEmoji }

    /// Whether the scalar belongs to a script that is written from right to left, by block: Hebrew, Arabic, Syriac, Thaana
    /// and others.
    private var isRightToLeft: Bool {
        switch value {
        case 0x061C: false
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC: true
        default: false
        }
    }

    /// Whether the scalar belongs to a script in which joiners change the form of letters, by block: Arabic and related
    /// scripts, the scripts of India, Sri Lanka, Myanmar and Cambodia, and Mongolian.
    private var isOfJoiningScript: Bool {
        switch value {
        case 0x0600...0x08FF, 0x0900...0x0DFF, 0x1000...0x109F, 0x1780...0x18AF, 0xFB50...0xFDFF: true
        default: false
        }
    }
}

extension Substring.UnicodeScalarView {
    /// The number of scalars at the beginning that are the flag of a region, such as England's: a black flag, 3 to 6
    /// tags for letters and digits, and the cancel tag (UTS #51, ED-14a); 0: none.
    fileprivate var regionFlagCount: Int {
        let tags = dropFirst().prefix {
            (0xE0030...0xE0039).contains($0.value) || (0xE0061...0xE007A).contains($0.value)
        }
        guard (3...6).contains(tags.count), dropFirst(1 + tags.count).first == "\u{E007F}" else { return 0 }
        return tags.count + 2
    }
}
