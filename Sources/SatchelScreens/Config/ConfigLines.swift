import Controllers
import LineView
import Terminal

enum ConfigLines {
    /// Shows the file, then a line for each setting: its name, its value, and where the value comes from.
    static let renderer = LineRenderer(
        ConfigScreen.self, plain: { state in PlainAnswer(rows: state.settings.map { [$0.name, $0.value, $0.origin] }) }
    ) { state, page in
        let errors = state.errors.flatMap { page.lines($0, .bad) }
        if state.settings.count == 1, let setting = state.settings.first {
            return Fact.lines(facts(of: setting), on: page) + errors
        }
        let rows = state.settings.map { setting in
            Table.Row.cells([
                .init(setting.name, .strong), .init(setting.shownValue), .init(setting.origin, .faint),
            ])
        }
        let columns: [Table.Column] = [.init(""), .init("", canShrink: true), .init("", canShrink: true)]
        return page.lines(file(of: state), .faint) + Table(columns, rows).lines(on: page) + errors
    }

    private static func file(of state: ConfigScreen.State) -> String {
        guard let path = state.file else { return "No configuration file is used." }
        let source = state.fileSource.map { " (from \($0))" } ?? ""
        return "File: \(path)\(source)" + (state.fileExists ? "" : ", which doesn't exist")
    }

    private static func facts(of setting: ConfigScreen.State.Shown) -> [Fact] {
        [
            Fact(setting.name, setting.shownValue), Fact("from", setting.origin), Fact("values", setting.values),
            Fact("meaning", setting.help),
        ]
    }
}

extension ConfigScreen.State.Shown {
    /// The value, or a word for none.
    fileprivate var shownValue: String { value.isEmpty ? "none" : value }
}
