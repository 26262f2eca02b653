import ControllerKit
import Controllers
import Foundation
import LineView
import Records
import Terminal

enum DetailLines {
    /// Shows a record in full: its fields, its text and its annotations. Nothing is cut.
    static let renderer = LineRenderer(
        DetailScreen.self,
        draft: { state in
            state.draft.map {
                // By its full id: the number in the command may name another record after the next list.
                LineDraft(argument: "text", text: $0.text, ending: "md", others: ["record": $0.record])
            }
        },
        plain: plain,
        news: { seen, now, page in
            let new = lines(of: now.withoutMarks, page).new(since: lines(of: seen.withoutMarks, page))
            guard !new.isEmpty, let record = now.record else { return new }
            // With the title, since a changed line alone doesn't name its record.
            let title = title(of: record, page)
            return [title] + new.filter { $0 != title }
        }, lines: lines)

    /// Returns the id, the collection and the fields of each record, by their names. SatchelScreens.docc/Scripting.md
    /// documents them.
    @Sendable
    private static func plain(_ state: DetailScreen.State) -> PlainAnswer? {
        guard let record = state.record else { return nil }
        let rows = ([record] + state.others).flatMap { record in
            [["id", record.id], ["collection", record.collection]]
                + record.typed.json.sortedNames.map { [$0, record.typed.json[$0]?.plainText ?? ""] }
        }
        return PlainAnswer(rows: rows)
    }

    @Sendable
    private static func lines(of state: DetailScreen.State, _ page: LinePage) -> [String] {
        guard let record = state.record else { return [(state.notice ?? "No record is shown.").sanitizedLine] }
        return ([record] + state.others).enumerated().flatMap { index, record in
            (index == 0 ? [] : [""]) + lines(of: record, page)
        }
    }

    private static func lines(of record: DetailScreen.State.Shown, _ page: LinePage) -> [String] {
        let title = title(of: record, page)
        let fields = record.fields.map { Fact($0.label.lowercasedFirst, $0.shown.text(Wording.lines.moment)) }
        return [title] + Fact.lines(fields + record.facts(.lines) + links(record), on: page) + text(record, page)
            + annotations(record, page)
    }

    private static func title(of record: DetailScreen.State.Shown, _ page: LinePage) -> String {
        page.text(record.title.sanitizedLine, .strong)
    }

    /// Returns the text: at a terminal as Markdown, for programs as it is.
    private static func text(_ record: DetailScreen.State.Shown, _ page: LinePage) -> [String] {
        guard let body = record.body else { return [] }
        let rendered = page.columns == nil ? nil : MarkdownLines.lines(of: body, links: record.links, on: page)
        return [""] + (rendered ?? body.linesToShow)
    }

    /// Returns the records to which its text has links, and those with links to it.
    private static func links(_ record: DetailScreen.State.Shown) -> [Fact] {
        let words = { (links: [DetailScreen.State.Link]) in
            links.map { "\($0.prefix) \($0.title)" }.joined(separator: "; ")
        }
        let facts = [Fact("links", words(record.links)), Fact("backlinks", words(record.backlinks))]
        return facts.filter { !$0.text.isEmpty }
    }

    private static func annotations(_ record: DetailScreen.State.Shown, _ page: LinePage) -> [String] {
        record.annotations.isEmpty
            ? []
            : [""]
                + record.annotations.map { page.text(LocalTime.short($0.at), .faint) + "  " + $0.text.sanitizedLine }
    }
}

extension DetailScreen.State {
    /// The state without the parts that only concern sending, which isn't news.
    fileprivate var withoutMarks: Self {
        var state = self
        state.record = record?.withoutMarks
        state.others = others.map(\.withoutMarks)
        return state
    }
}

extension DetailScreen.State.Shown {
    fileprivate var withoutMarks: Self {
        var record = self
        (record.isUnsent, record.version, record.urgency) = (false, 0, nil)
        return record
    }
}

// MARK: - What is stored of a record next to its fields, as all views say it

extension DetailScreen.State.Shown {
    /// Its id, its last edit, and what the server has of it.
    func facts(_ wording: Wording) -> [Fact] {
        var facts: [Fact] = []
        if let progress { facts.append(Fact("parts", "\(progress.done)/\(progress.total) done")) }
        if let urgency { facts.append(Fact("urgency", urgency.plain)) }
        facts.append(Fact("id", id))
        if let editedAt { facts.append(Fact("edited", wording.moment(editedAt))) }
        if let rejection { facts.append(.refused(rejection)) }
        return facts + [isUnsent ? .unsynced(": it has unsent edits") : .synced(version: version)]
    }
}
