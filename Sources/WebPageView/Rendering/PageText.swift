internal import Mustache
internal import SafeText

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
    /// - Parameter neutralising: whether control and invisible characters are replaced by visible ones; false for a
    ///   text that a form sends back.
    public func escaped(neutralising: Bool) -> String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in (neutralising ? sanitized : self).unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // A reference, so that no parser treats the pair as one line end, or drops the carriage return.
            case "\r" where !neutralising: result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
