import ControllerKit
import Controllers
import Foundation
import LineView
import Terminal

enum DetailLines {
    /// A record whole: its fields, its text, its remarks. Nothing of it is cut.
    static let renderer = LineRenderer(
        DetailScreen.self,
        draft: { state in
            state.draft.map {
                LineDraft(argument: "text", text: $0.text, ending: "md", others: ["record": $0.record])
            }
        },
        news: { seen, now, page in
            let new = lines(of: now.withoutMarks, page).new(since: lines(of: seen.withoutMarks, page))
            guard !new.isEmpty, let record = now.record else { return new }
            // The title is repeated, so that a line isn't shown without its subject.
            let title = title(of: record, page)
            return [title] + new.filter { $0 != title }
        }, lines: lines)

    @Sendable
    private static func lines(of state: DetailScreen.State, _ page: LinePage) -> [String] {
        guard let record = state.record else { return [(state.notice ?? "No record is shown.").neutralised()] }
        let title = title(of: record, page)
        let facts = record.fields.map { Fact($0.label.lowercasedFirst, value($0)) } + facts(of: record)
        return [title] + Fact.lines(facts, on: page) + text(record) + remarks(record, page)
    }

    private static func title(of record: DetailScreen.State.Shown, _ page: LinePage) -> String {
        page.text(record.title.neutralised(), .strong)
    }

    private static func value(_ field: DetailScreen.State.Field) -> String {
        field.isMoment ? LocalTime.value(field.value) : field.words ?? field.value
    }

    private static func facts(of record: DetailScreen.State.Shown) -> [Fact] {
        var facts = [Fact("id", record.id)]
        if let at = record.editedAt { facts.append(Fact("edited", LocalTime.short(at))) }
        if let rejection = record.rejection { facts.append(Fact("refused", rejection, .bad)) }
        facts.append(
            record.isUnsent
                ? Fact("synced", "no: it has unsent edits", .warning)
                : Fact("synced", "yes, version \(record.version)"))
        return facts
    }

    private static func text(_ record: DetailScreen.State.Shown) -> [String] {
        guard let body = record.body else { return [] }
        return [""] + body.linesToShow
    }

    private static func remarks(_ record: DetailScreen.State.Shown, _ page: LinePage) -> [String] {
        record.annotations.isEmpty
            ? []
            : [""]
                + record.annotations.map { page.text(LocalTime.short($0.at), .faint) + "  " + $0.text.neutralised() }
    }
}

extension DetailScreen.State {
    /// The state without what only concerns sending.
    fileprivate var withoutMarks: Self {
        var state = self
        state.record?.isUnsent = false
        state.record?.version = 0
        return state
    }
}
