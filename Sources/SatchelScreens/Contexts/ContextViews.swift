import ControllerKit
import Controllers
public import LineView
import Terminal
import WebPageView

enum ContextLines {
    /// Shows the contexts, with a mark at the current one.
    static let renderer = LineRenderer(
        ContextScreen.self,
        plain: { state in
            PlainAnswer(
                rows: state.contexts.map { [$0.name, $0.filter, $0.name == state.current?.name ? "current" : ""] })
        }
    ) { state, page in
        if state.contexts.isEmpty { return EmptyMessage.contexts.lines(on: page) }
        let rows = state.contexts.map { context in
            let isCurrent = context.name == state.current?.name
            return Table.Row.cells([
                .init(isCurrent ? "*" : "", .good), .init(context.name, isCurrent ? .strong : .none),
                .init(context.filter, .faint),
            ])
        }
        return Table([.init(""), .init(""), .init("", canShrink: true)], rows).lines(on: page)
            + (state.current == nil ? page.lines("None applies. `context NAME` applies one.", .faint) : [])
    }
}

extension ActiveContext {
    /// Returns the heading of a list or a report within a context.
    static func lines(_ context: ActiveContext?, on page: LinePage) -> [String] {
        context.map { page.lines($0.heading, .faint) } ?? []
    }
}

extension PromptStatus {
    /// The context at the prompt: `(house) satchel>`.
    public static let context = PromptStatus(ContextScreen.self, verb: "contexts") { state, base in
        // Bounded, so that there is room for typing on the same line.
        state.current.map { "(\($0.name.sanitizedLine.truncated(toWidth: 16))) \(base)" } ?? base
    }
}

enum ContextPage {
    /// Shows the contexts.
    static let renderer = WebRenderer(
        ContextScreen.self, title: "Contexts", place: .elsewhere, placed: ["context", "contexts"],
        reading: { _ in PageReading(verb: "contexts", values: [:]) }, isBlank: \.contexts.isEmpty,
        content: { state, frame in frame.templates.html("contexts", ContextModel(state, frame)) })
}

/// The contexts for the template `contexts`.
struct ContextModel {
    let contexts: [Defined]
    let isEmpty: Bool
    /// The message for a home without contexts.
    let empty: [EmptyMessage]
    /// The title of the link to the list.
    let listTitle: String
    /// The form after which no context applies.
    let clear: [FormModel]
    let define: [FormModel]

    /// A context.
    struct Defined {
        let name: String
        let filter: String
        let isCurrent: Bool
        let apply: [FormModel]
        let delete: [FormModel]
    }

    init(_ state: ContextScreen.State, _ frame: PageFrame) {
        contexts = state.contexts.map { context in
            let isCurrent = context.name == state.current?.name
            let apply = frame.form(
                "context", id: "form-context-\(context.name)", fixed: [("name", context.name)], without: ["words"],
                submit: "Apply", label: "Apply \(context.name)", isCompact: true)
            let delete = frame.form(
                "context", id: "form-delete-\(context.name)", fixed: [("name", "delete"), ("words", context.name)],
                submit: "Delete", label: "Delete \(context.name)", isCompact: true)
            return Defined(
                name: context.name, filter: context.filter, isCurrent: isCurrent,
                apply: isCurrent ? [] : [apply].compactMap(\.self), delete: [delete].compactMap(\.self))
        }
        isEmpty = contexts.isEmpty
        empty = isEmpty ? [EmptyMessage.contexts] : []
        listTitle = frame.title(of: ListScreen.name)
        let none = frame.form(
            "context", id: "form-context-none", fixed: [("name", "none")], without: ["words"],
            submit: "Show all records", isCompact: true)
        clear = state.current == nil ? [] : [none].compactMap(\.self)
        define = [
            frame.form(
                "context", id: "form-context-define", fixed: [("name", "define")],
                labels: ["words": "Name and filter"], submit: "Define")
        ].compactMap(\.self)
    }
}

/// The context of a list or a report on a page, with a link to the contexts.
struct ContextLink {
    let text: String
    let href: String

    /// Returns the note for a template; empty: no context applies.
    static func all(_ context: ActiveContext?) -> [ContextLink] {
        context.map { [ContextLink(text: $0.heading, href: "/" + ContextScreen.name)] } ?? []
    }
}
