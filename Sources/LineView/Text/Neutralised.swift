internal import ControllerKit

extension String {
    /// The text without anything that could steer a terminal, reorder what is read or stay unseen (`harmless`). Line feeds
    /// and tabs stay where several lines are shown, and become a space and a picture elsewhere.
    public func neutralised(keepingLines: Bool = false) -> String {
        let text = harmless
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

    /// A text for programs as it may be shown on a page: as it is where the page is a file or a pipe, neutralised on a terminal,
    /// where CR LF, which ends a line in some formats, is shown as a line's end.
    func shown(on page: LinePage) -> String {
        page.columns == nil ? self : replacing("\r\n", with: "\n").neutralised(keepingLines: true)
    }
}
