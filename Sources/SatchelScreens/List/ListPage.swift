import ControllerKit
import Controllers
import Records
import WebPageView

enum ListPage {
    /// Shows a list of records of these types.
    static func renderer(_ types: RecordTypes) -> WebRenderer<ListScreen> {
        WebRenderer(
            ListScreen.self, title: types.listedNames(\.plural, conjunction: "and").capitalisedFirst, key: "l",
            keys: [
                PageKey("n", "A new \(types.defaultNoun)", .focus("#form-add-words")),
                PageKey("/", "Filter the list", .focus("#filter")),
                PageKey("j", "Next record", .next(".title", row: ".row")),
                PageKey("k", "Previous record", .previous(".title", row: ".row")),
                PageKey("v", "Select or deselect the focused record", .click(".selection-box input", row: ".row")),
                PageKey("b", "Change the selected records", .focus("#selection-verb")),
            ]
                + (types.completableTypes.isEmpty
                    ? [] : [PageKey("x", "Complete the focused record", .click(".tick button", row: ".row"))]),
            placed: ["list", "search", "notes", "next", "add", "done", "undone", "rm"],
            reading: reading, isBlank: { $0.rows.isEmpty && $0.filter.isEmpty },
            content: { state, frame in frame.templates.html("list", ListModel(state, frame)) })
    }

    private static func reading(_ parameters: Parameters) -> PageReading? {
        // The words of an address aren't typed at a prompt: an open quotation mark isn't an error here.
        let words = CommandWords.splitUnclosed(parameters["filter"] ?? parameters["words"] ?? "")
        if parameters["search"] != nil || parameters["words"] != nil, !words.isEmpty {
            return PageReading(verb: "search", values: ["words": .list(words)])
        }
        var values: ArgumentValues = words.isEmpty ? [:] : ["filter": .list(words)]
        // Anyone can write an address: a text that isn't a number is omitted, and the list has its usual window.
        for name in ["limit", "offset"] {
            if let number = parameters[name].flatMap({ Int($0) }) { values[name] = .integer(number) }
        }
        return PageReading(verb: "list", values: values)
    }
}

/// The form that adds a record of a type, for the template `list`.
struct OtherType {
    let noun: String
    let form: [FormModel]

    init(_ type: RecordType, _ dates: DateExpression.Context, _ frame: PageFrame) {
        noun = type.noun
        form = [
            frame.form(
                "add", id: "form-add-\(type.noun)", fixed: [("type", type.noun)], without: ["words", "body"],
                inputs: FormInput.all(type, dates).map { $0.formField() }, submit: "Add \(type.noun)")
        ].compactMap(\.self)
    }
}

/// A list for the template `list`.
struct ListModel {
    /// Escaped but not sanitized, since the form sends it back.
    let filter: String
    /// Words that a filter may contain, and a short one.
    let (sampleFilter, shortFilter): (String, String)
    let shortcuts: [PageLink]
    /// The context within which the records were found.
    let context: [ContextLink]
    /// The saved filters.
    let saved: [PageLink]
    /// The form that saves this filter under a name.
    let save: [FormModel]
    /// The form that adds a record of the first type.
    let add: [FormModel]
    /// The forms that add records of the other types.
    let others: [OtherType]
    let groups: [ListGroup]
    /// The form that changes the selected records.
    let selection: [SelectionModel]
    let isEmpty: Bool
    /// The message of an empty list.
    let empty: [EmptyMessage]
    let hasFilter: Bool
    /// What is shown without a filter, of the first type: `open tasks`. Records that can't be completed are all shown.
    let firstUsual: String
    let summary: String
    let previous: [PageLink]
    let next: [PageLink]

    init(_ state: ListScreen.State, _ frame: PageFrame) {
        // Escaped here against injected HTML, since the template inserts it as it is.
        filter = state.filter.escaped(sanitizing: false)
        let asked = frame.address.parameters["filter"]
        let isSearch = frame.address.parameters["search"] != nil
        let types = state.types.types
        let listed = types.listedTypes
        let samples = SampleWords(types)
        (sampleFilter, shortFilter) = (samples.filter, samples.shortFilter)
        shortcuts = Self.shortcuts(types).map { title, filter in
            .init(href: Self.link(filter), title: title, isHere: asked == filter)
        }
        context = ContextLink.all(state.context)
        saved = SavedListsModel.links(in: frame)
        // Only filters can be saved; the words of a search aren't one.
        let canBeSaved = !state.filter.isEmpty && !isSearch && !saved.contains(where: \.isHere)
        save =
            canBeSaved
            ? [frame.form("save", fixed: [("filter", state.filter)], submit: "Save")].compactMap(\.self) : []
        let dates = DateExpression.Context(now: frame.clock.now, calendar: frame.clock.calendar)
        add = listed.prefix(1).compactMap { type in
            frame.form(
                "add", without: ["type", "body"], labels: ["words": "Add a \(type.noun)"],
                inputs: FormInput.all(type, dates).filter { !$0.isTitle }.map { $0.formField(isFurther: true) },
                submit: "Add \(type.noun)")
        }
        others = listed.dropFirst().map { OtherType($0, dates, frame) }
        groups = ListGroup.all(state, frame)
        selection = [frame.selectionForm(count: state.rows.count)].compactMap(\.self)
        // After a filter that could not be parsed, an empty list doesn't mean that there are no matches.
        isEmpty = state.rows.isEmpty && !frame.hasFailure
        empty = isEmpty ? [EmptyMessage(state)] : []
        hasFilter = !state.filter.isEmpty
        firstUsual = (listed.first?.closing == nil ? "all " : "open ") + (listed.first?.plural ?? "records")
        let end = state.offset + state.rows.count
        summary =
            end - state.offset == state.total
            ? (state.total == 1 ? "1 record" : "\(state.total) records")
            : "\(state.offset + 1)–\(end) of \(state.total) records"
        let size = ListScreen.windowDefault
        // The offset is from an address, so it may be smaller than a window.
        previous = state.offset > 0 ? [Self.window(state, frame, at: max(0, state.offset - size), "Previous")] : []
        next = end < state.total && !isEmpty ? [Self.window(state, frame, at: end, "Next")] : []
    }

    /// Returns the titles and words of the filters that the types suggest: by deadline, by further type, and by state.
    private static func shortcuts(_ types: RecordTypes) -> [(title: String, filter: String)] {
        let listed = types.listedTypes
        let hasOpen = !types.completableTypes.isEmpty
        var shortcuts = hasOpen ? [(title: "To do", filter: "")] : []
        if let deadline = listed.compactMap(\.deadline).first {
            shortcuts.append((title: "Today", filter: deadline.name + "<=today"))
            shortcuts.append((title: "Overdue", filter: "overdue"))
        }
        if hasOpen { shortcuts.append((title: "Next", filter: ListScreen.nextFilter.joined(separator: " "))) }
        for type in listed.dropFirst() { shortcuts.append((title: type.pluralTitle, filter: type.noun)) }
        if let closing = listed.compactMap(\.closing).first, let done = closing.mark(of: closing.done) {
            shortcuts.append((title: done.capitalisedFirst, filter: done))
        }
        shortcuts.append((title: "Everything", filter: hasOpen ? "all" : ""))
        return shortcuts
    }

    private static func link(_ filter: String) -> String {
        PageAddress(screen: ListScreen.name, Parameters([("filter", filter)])).text
    }

    private static func window(
        _ state: ListScreen.State, _ frame: PageFrame, at offset: Int, _ title: String
    ) -> PageLink {
        let query = Parameters([("filter", state.filter), ("offset", String(offset))])
        return .init(href: PageAddress(screen: ListScreen.name, query).text, title: title, isHere: false)
    }
}
