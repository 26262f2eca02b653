internal import Mustache

/// How any text enters a page: it stays text, wherever a record, a server or a person got it from.
///
/// The library's own escaping compares characters, and a quotation mark with a combining mark behind it is another
/// character; a browser reads scalars, and so does this.
struct PageText: MustacheContentType {
    /// The name by which templates ask for it.
    static let name = "PAGE"

    func escapeText(_ text: String) -> String { text.escaped(neutralising: true) }
}

extension String {
    /// The text as HTML, for an element's content or a quoted attribute.
    ///
    /// - Parameter neutralising: whether controls and bidirectional overrides are shown as what they are; not for a text
    ///   that comes back when a form is sent.
    func escaped(neutralising: Bool) -> String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // A reference, so that no parser takes the pair for one line end, or drops the carriage return.
            case "\r" where !neutralising: result += "&#13;"
            default: result.unicodeScalars.append(neutralising ? scalar.harmless : scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Controls become their pictures (U+2400…), C1 controls and bidirectional overrides U+FFFD; line feeds and tabs stay.
    fileprivate var harmless: Unicode.Scalar {
        switch value {
        case 0x09, 0x0A: self
        case 0..<0x20: Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: "\u{FFFD}"
        default: self
        }
    }
}
