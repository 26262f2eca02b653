internal import ControllerKit

extension String {
    /// The text without characters that could control a terminal, reorder the displayed text or be invisible
    /// (`sanitized`). Line feeds and tabs are kept where several lines are shown; elsewhere a line feed becomes a space
    /// and a tab its picture.
    public func neutralised(keepingLines: Bool = false) -> String {
        let text = sanitized
        guard !keepingLines, text.utf8.contains(where: { $0 == 0x0A || $0 == 0x09 }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result.append(" ")
            case "\t": result.append("\u{2409}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// A text for programs as it may be shown on a page: unchanged where the page is a file or a pipe, neutralised on a
    /// terminal, where CR LF is shown as a line end.
    func shown(on page: LinePage) -> String {
        page.columns == nil ? self : replacing("\r\n", with: "\n").neutralised(keepingLines: true)
    }
}
