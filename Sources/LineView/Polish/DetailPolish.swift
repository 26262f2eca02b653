import ControllerKit
import Controllers

extension LinePolish {
    /// A record whole: its fields, its text, its remarks.
    static let detail = LinePolish(DetailScreen.self) { state, page in
        guard let record = state.record else { return [page.text("The record has been deleted.", .faint)] }
        let title = page.text(record.title.neutralised(), .strong)
        let fields = record.fields.map { ($0.name, value($0)) } + facts(record)
        let table = Table(
            [.init(""), .init("", canShrink: false)],
            fields.map { .cells([.init($0.0, .faint), .init($0.1)]) }
        ).lines(on: page)
        return [title] + table + text(record) + remarks(record, page)
    }

    private static let times: Set<String> = ["due", "entry", "end", "wait", "scheduled", "until", "modified"]

    private static func value(_ field: DetailScreen.State.Field) -> String {
        times.contains(field.name) ? LocalTime.short(field.value) : field.value
    }

    private static func facts(_ record: DetailScreen.State.Shown) -> [(String, String)] {
        var facts = [("id", record.id)]
        if let at = record.editedAt { facts.append(("edited", LocalTime.short(at))) }
        if let rejection = record.rejection { facts.append(("refused", rejection)) }
        facts.append(
            ("synced", record.isUnsent ? "no: it has edits that weren't sent" : "yes, version \(record.version)"))
        return facts
    }

    private static func text(_ record: DetailScreen.State.Shown) -> [String] {
        guard let body = record.body else { return [] }
        return [""]
            + body.neutralised(keepingLines: true).split(separator: "\n", omittingEmptySubsequences: false).map(
                String.init)
    }

    private static func remarks(_ record: DetailScreen.State.Shown, _ page: LinePage) -> [String] {
        record.annotations.isEmpty
            ? []
            : [""] + record.annotations.map { page.text(LocalTime.short($0.at), .faint) + "  " + $0.text.neutralised() }
    }
}
