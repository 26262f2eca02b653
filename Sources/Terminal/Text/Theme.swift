/// The colours of emphasized text. Nothing is said by a colour alone, so a theme changes no text.
public enum Theme: String, Sendable, CaseIterable {
    /// For a dark background: a contrast of at least 4.5:1 against black.
    case dark
    /// For a light background: a contrast of at least 4.5:1 against white.
    case light
    /// For an unknown background: a contrast of at least 3:1 against black and white.
    case neutral
    /// The first colours of the terminal's own palette, for a terminal with fewer than 256.
    case basic

    /// Returns the parameters of SGR (ECMA-48 section 8.3.117) for an emphasis; nil: none.
    func code(of emphasis: Emphasis) -> String? {
        switch emphasis {
        case .none: nil
        case .strong: "1"
        case .found: "1;4"
        case .faint: colour(of: emphasis).map { "38;5;\($0)" } ?? "2"
        case .good: colour(of: emphasis).map { "38;5;\($0)" } ?? "32"
        case .warning: colour(of: emphasis).map { "38;5;\($0)" } ?? "33"
        case .bad: colour(of: emphasis).map { "38;5;\($0)" } ?? "31"
        }
    }

    /// Returns the number of a colour in the palette of 256 colours, whose values from 16 on are the same in all terminals;
    /// nil: the emphasis has no such colour.
    func colour(of emphasis: Emphasis) -> Int? {
        switch (self, emphasis) {
        case (.basic, _), (_, .none), (_, .strong), (_, .found): nil
        case (.dark, .faint): 246
        case (.dark, .good): 114
        case (.dark, .warning): 179
        case (.dark, .bad): 210
        case (.light, .faint): 242
        case (.light, .good): 28
        case (.light, .warning): 94
        case (.light, .bad): 160
        case (.neutral, .faint): 244
        case (.neutral, .good): 65
        case (.neutral, .warning): 136
        case (.neutral, .bad): 167
        }
    }
}

extension Theme {
    /// Chooses the theme of a terminal.
    ///
    /// - Parameters:
    ///   - wanted: The theme that the user has set; nil: none.
    ///   - background: The terminal's background, as its answer to OSC 11 reports it; nil: unknown.
    ///   - environment: `TERM` and `COLORTERM` report the number of colours, `COLORFGBG` the background.
    static func choose(
        wanted: Theme?, background: TerminalBackground?, environment: [String: String]
    ) -> Theme {
        if let wanted { return wanted }
        let hasPalette =
            ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
            || (environment["TERM"] ?? "").contains("256color")
        guard hasPalette else { return .basic }
        switch TerminalBackground(colorFGBG: environment["COLORFGBG"] ?? "") ?? background {
        case .dark: return .dark
        case .light: return .light
        case nil: return .neutral
        }
    }
}

/// Whether the background of a terminal is dark or light.
package enum TerminalBackground: Sendable, Equatable {
    case dark
    case light

    /// Parses `COLORFGBG`, the numbers of the text's colour and the background's in the palette of 16: `15;0` or
    /// `0;default;15`; nil for any other text.
    package init?(colorFGBG text: String) {
        let parts = text.split(separator: ";")
        guard parts.count >= 2, let number = Int(parts[parts.count - 1]), (0...15).contains(number) else { return nil }
        // 7 is light grey, 8 dark grey; the bright colours 9 to 15 are light.
        self = number == 7 || number > 8 ? .light : .dark
    }

    /// Parses the colour in an answer to OSC 11: `rgb:ffff/ffff/dddd`, with one to four digits for each part.
    package init?(answer: String) {
        guard let begin = answer.firstRange(of: "rgb:") ?? answer.firstRange(of: "rgba:") else { return nil }
        let parts = answer[begin.upperBound...].split(separator: "/", omittingEmptySubsequences: false).prefix(3)
            .map { $0.prefix(while: { $0.isASCII && $0.isHexDigit }) }
        let values = parts.compactMap { digits -> Double? in
            guard (1...4).contains(digits.count), let value = Int(digits, radix: 16) else { return nil }
            return Double(value) / Double((1 << (4 * digits.count)) - 1)
        }
        guard values.count == 3 else { return nil }
        // The weights of the luminance in ITU-R BT.601.
        self = 0.299 * values[0] + 0.587 * values[1] + 0.114 * values[2] < 0.5 ? .dark : .light
    }
}
