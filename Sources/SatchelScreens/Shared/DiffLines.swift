import ControllerKit
import Controllers
import Terminal

extension TextDiff {
    /// The lines as in a unified difference: `-` for the old, `+` for the new, a space for both.
    ///
    /// - Parameter whole: the command that shows the rest, where some is left out.
    func lines(on page: LinePage, whole: String? = nil) -> [String] {
        let shown = lines.map { line in
            switch line.kind {
            case .same: "  " + line.text.neutralised()
            case .removed: page.text("- " + line.text.neutralised(), .bad)
            case .added: page.text("+ " + line.text.neutralised(), .good)
            case .skipped: page.text("… \(line.count ?? 0) equal lines", .faint)
            }
        }
        let rest = whole.map { "; `\($0)` shows all" } ?? ""
        return shown + (left > 0 ? [page.text("… \(left) more lines of difference\(rest)", .faint)] : [])
    }
}

/// The author of an edit, as text.
enum Maker {
    /// `this device`, the device's name, or the beginning of its id.
    static func name(isMine: Bool, name: String?, id: String?) -> String {
        if isMine { return "this device" }
        return name.map { "“\($0.neutralised())”" } ?? id.map { "device \($0.prefix(8))".neutralised() }
            ?? "unknown device"
    }
}
