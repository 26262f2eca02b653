import ControllerKit
import Controllers
import Foundation
import WebPageView

enum DetailPage {
    /// Shows a record.
    static let renderer = WebRenderer(
        DetailScreen.self, title: "Record", place: .elsewhere, placed: ["show", "edit", "annotate"],
        reading: { parameters in
            parameters["record"].map { PageReading(verb: "show", values: ["record": .text($0)]) }
        },
        bases: { state, parameters in
            // The state may be about another record than the form.
            state.record.flatMap { $0.id == parameters["record"] ? $0.editable : nil } ?? [:]
        },
        subject: { $0.record.map { $0.title.isEmpty ? $0.id : $0.title } },
        asks: { state in
            state.draft.map { draft in
                draft.problem.map { WebQuestion($0, isRefusal: true) }
                    ?? WebQuestion("Edit the whole record as text below, then save it.")
            }
        },
        content: { state, frame in frame.templates.html("detail", DetailModel(state, frame)) })
}

extension DetailScreen.State.Shown {
    /// The initial values of the form that edits it, by input name.
    fileprivate var editable: [String: String] {
        Dictionary(form.map { ($0.formField().input, $0.text) }) { first, _ in first }
    }
}

/// A record for the template `detail`.
struct DetailModel {
    let title: String
    /// The title of the link to the list.
    let listTitle: String
    let isNothing: Bool
    let records: [Shown]

    struct Shown {
        let kind: String
        let facts: [PageFact]
        /// The text as HTML, in which every text is escaped.
        let body: String
        let hasBody: Bool
        /// The links to the records with links to this one.
        let backlinks: [PageLink]
        let hasBacklinks: Bool
        /// The form that the buttons of check boxes submit.
        let check: [FormModel]
        /// The form that adds to the text.
        let append: [FormModel]
        let annotations: [PageFact]
        let hasAnnotations: Bool
        /// The form of its fields; empty while it is edited as text.
        let edit: [FormModel]
        /// The button that offers it as text.
        let offer: [FormModel]
        /// The form that edits it as text.
        let draft: [FormModel]
        let href: String
        let annotate: [FormModel]
        let tick: [FormModel]
        let remove: [FormModel]
        let historyHref: String
    }

    init(_ state: DetailScreen.State, _ frame: PageFrame) {
        title = state.notice ?? "No record is shown."
        listTitle = frame.title(of: ListScreen.name)
        isNothing = state.record == nil
        records = [state.record.map { Shown($0, state.draft, frame) }].compactMap(\.self)
    }
}

extension DetailModel.Shown {
    init(_ record: DetailScreen.State.Shown, _ text: DetailScreen.State.Draft?, _ frame: PageFrame) {
        kind = record.kind.capitalisedFirst
        let zone = frame.clock.calendar.timeZone
        facts =
            record.fields.map { PageFact(label: $0.label, $0.shown.text(in: zone, frame.clock.long)) }
            + record.facts(.page(frame.clock)).map { PageFact($0) }
        body = record.body.map { MarkdownPage.html(of: $0, links: record.links) } ?? ""
        hasBody = !body.isEmpty
        backlinks = record.backlinks.map { link in
            let address = PageAddress(screen: DetailScreen.name, Parameters([("record", link.id)]))
            return PageLink(href: address.text, title: link.title)
        }
        hasBacklinks = !backlinks.isEmpty
        annotations = record.annotations.map { PageFact(frame.clock.long($0.at), $0.text) }
        hasAnnotations = !annotations.isEmpty
        let (one, several) = ([("record", record.id)], [("records", record.id)])
        href = PageAddress(screen: DetailScreen.name, Parameters(one)).text
        // The inputs of the fields replace the omitted arguments. With the initial values, only changed inputs become
        // edits.
        let fields = frame.form(
            "edit", fixed: one, keepsBase: true, without: ["title", "body", "text", "words"],
            inputs: record.form.map { $0.formField() }, submit: "Save")
        edit = text == nil ? [fields].compactMap(\.self) : []
        offer =
            text == nil
            // Without inputs: an `edit` without a change puts the draft into the state.
            ? [frame.form("edit", id: "form-edit-offer", fixed: one, submit: "Edit as text", isCompact: true)?.bare]
                .compactMap(\.self) : []
        draft = text.map { Self.draft($0, one, frame) } ?? []
        check = [
            frame.form(
                "check", id: MarkdownPage.checkForm, fixed: one, without: ["boxes"], submit: "Check", isCompact: true)
        ].compactMap(\.self)
        append = [
            frame.form(
                "append", fixed: one, values: ["text": ""], without: ["words"], labels: ["text": "Text"],
                submit: "Append")
        ].compactMap(\.self)
        annotate = [frame.form("annotate", fixed: one, submit: "Add annotation")].compactMap(\.self)
        tick = [
            record.isDone.flatMap { isDone in
                frame.form(
                    isDone ? "undone" : "done", fixed: several, submit: isDone ? "Reopen" : "Mark as done",
                    isCompact: true)
            }
        ].compactMap(\.self)
        remove = [frame.form("rm", fixed: several, submit: "Delete", isCompact: true)].compactMap(\.self)
        historyHref = PageAddress(screen: HistoryScreen.name, Parameters([("record", record.id)])).text
    }

    private static func draft(
        _ draft: DetailScreen.State.Draft, _ one: [(String, String)], _ frame: PageFrame
    ) -> [FormModel] {
        let form = frame.form(
            "edit", id: "form-edit-text", fixed: one, values: ["text": draft.text],
            without: ["title", "body", "words"],
            submit: "Save")
        return [form].compactMap(\.self)
    }
}
