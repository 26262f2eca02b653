import Foundation
import Testing

@testable import Terminal

@Suite("Themes")
struct ThemeTests {
    private static let colours: [Emphasis] = [.faint, .good, .warning, .bad]

    /// Returns the relative luminance of a colour in the palette of 256 colours (WCAG 2.2, "relative luminance").
    private func luminance(_ number: Int) -> Double {
        let levels = [0, 95, 135, 175, 215, 255]
        let parts =
            number >= 232
            ? [Int](repeating: 8 + 10 * (number - 232), count: 3)
            : [levels[(number - 16) / 36], levels[(number - 16) / 6 % 6], levels[(number - 16) % 6]]
        let linear = parts.map { part -> Double in
            let value = Double(part) / 255
            return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    @Test(
        "Each colour has enough contrast against the background of its theme",
        arguments: [(Theme.dark, 4.5, 0), (.light, 0, 4.5), (.neutral, 3, 3)] as [(Theme, Double, Double)])
    func contrast(theme: Theme, onBlack: Double, onWhite: Double) throws {
        for emphasis in Self.colours {
            let luminance = luminance(try #require(theme.colour(of: emphasis)))
            #expect((luminance + 0.05) / 0.05 >= onBlack, "\(emphasis)")
            #expect(1.05 / (luminance + 0.05) >= onWhite, "\(emphasis)")
        }
    }

    @Test(
        "The theme is the one that is set, else that of the background; without 256 colours, the terminal's own",
        arguments: [
            (Theme.light, nil, [:], .light), (nil, nil, [:], .basic), (nil, .dark, ["TERM": "xterm"], .basic),
            (nil, .dark, ["TERM": "xterm-256color"], .dark), (nil, .light, ["COLORTERM": "truecolor"], .light),
            (nil, nil, ["TERM": "xterm-256color"], .neutral),
            (nil, nil, ["TERM": "xterm-256color", "COLORFGBG": "0;15"], .light),
            (nil, nil, ["TERM": "xterm-256color", "COLORFGBG": "15;default;0"], .dark),
            (nil, nil, ["TERM": "xterm-256color", "COLORFGBG": "x"], .neutral),
        ] as [(Theme?, TerminalBackground?, [String: String], Theme)])
    func choice(wanted: Theme?, background: TerminalBackground?, environment: [String: String], theme: Theme) {
        #expect(Theme.choose(wanted: wanted, background: background, environment: environment) == theme)
    }

    @Test(
        "The answer to OSC 11 is parsed; anything else is no background",
        arguments: [
            ("\u{1B}]11;rgb:ffff/ffff/dddd\u{1B}\\\u{1B}[?65;1c", .light), ("\u{1B}]11;rgb:00/2b/36\u{7}", .dark),
            ("\u{1B}[?1;2c", nil), ("", nil), ("rgb:1/2", nil), ("rgb:12345/0/0", nil),
        ] as [(String, TerminalBackground?)])
    func answers(text: String, background: TerminalBackground?) {
        #expect(TerminalBackground(answer: text) == background)
    }

    @Test("The wait ends with the terminal's attributes")
    func end() {
        #expect(BackgroundColorQuery.isComplete(Array("\u{1B}]11;rgb:0/0/0\u{7}\u{1B}[?65;1c".utf8)))
        #expect(!BackgroundColorQuery.isComplete(Array("\u{1B}]11;rgb:c".utf8)))
        #expect(!BackgroundColorQuery.isComplete([]))
    }

    @Test("A terminal is asked only if the answer matters and can't arrive late")
    func usefulness() {
        let terminal = ["TERM": "xterm-256color"]
        #expect(BackgroundColorQuery.isUseful(wanted: nil, environment: terminal))
        #expect(!BackgroundColorQuery.isUseful(wanted: .neutral, environment: terminal))
        for (name, value) in ["NO_COLOR": "1", "SSH_TTY": "x", "COLORFGBG": "0;15", "TERM": "xterm"] {
            let other = terminal.merging([name: value]) { $1 }
            #expect(!BackgroundColorQuery.isUseful(wanted: nil, environment: other), "\(name)")
        }
    }
}
