import Controllers
import Records
import Terminal

extension EmptyMessage {
    /// Creates the message of a report by project or by tag; nil: records have one.
    init?(_ state: GroupingReportState, _ words: GroupingWords) {
        guard !state.rows.contains(where: { !$0.name.isEmpty }) else { return nil }
        if state.filter.isEmpty {
            self.init(
                "No \(words.plural)", "`add TITLE \(words.word)` adds a record with a \(words.singular).",
                in: state.context)
        } else {
            self.init(
                "No \(words.plural) for “\(state.filter.sanitizedLine)”", "`\(words.plural)` shows all of them.",
                in: state.context)
        }
    }

    /// Creates the message of an agenda; nil: it has records.
    ///
    /// - Parameter deadline: The name of the field whose dates the agenda shows.
    init?(_ state: AgendaScreen.State, deadline: String) {
        guard state.sections.isEmpty else { return nil }
        if state.later > 0 {
            self.init("Nothing in these days", "\(state.later) later; `agenda all` shows them.", in: state.context)
        } else if state.filter.isEmpty {
            self.init(
                "Nothing with a date", "`add TITLE \(deadline):tomorrow` adds a record with a date.",
                in: state.context)
        } else {
            self.init(
                "Nothing with a date for “\(state.filter.sanitizedLine)”", "`agenda all` shows everything with a date.",
                in: state.context)
        }
    }

    /// Creates the message of statistics; nil: there is a number above 0.
    init?(_ state: StatsScreen.State) {
        guard state.largest == 0, !state.weeks.isEmpty else { return nil }
        let what = state.hasCompleted ? "Nothing added or completed in these weeks" : "Nothing added in these weeks"
        if state.filter.isEmpty {
            self.init(what, "Records that you add with `add TITLE` are counted here.", in: state.context)
        } else {
            self.init(
                "\(what) for “\(state.filter.sanitizedLine)”", "`stats` counts all records.", in: state.context)
        }
    }
}

/// The words for what a report counts by.
struct GroupingWords {
    /// The noun in the plural, which is the name of the report that lists them: `projects`.
    let plural: String
    /// The noun in the singular: `project`.
    let singular: String
    /// The word that gives a new record a project or a tag: `project:NAME`.
    let word: String

    /// The words for tags.
    static let tags = GroupingWords(plural: TagsScreen.name, singular: "tag", word: "+NAME")

    /// Returns the words for the projects of these types.
    static func projects(of types: RecordTypes) -> GroupingWords {
        GroupingWords(
            plural: ProjectsScreen.name, singular: "project",
            word: (types.projectField?.name ?? FieldKey.project.name) + ":NAME")
    }
}
