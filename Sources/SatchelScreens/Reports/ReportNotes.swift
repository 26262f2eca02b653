import Controllers
import Records
import Terminal

extension EmptyNote {
    /// Creates the note of a report by label; nil: records have labels.
    init?(_ state: LabelReportState, _ labels: LabelWords) {
        guard !state.rows.contains(where: { !$0.name.isEmpty }) else { return nil }
        if state.filter.isEmpty {
            self.init(
                "No \(labels.plural)", "`add TITLE \(labels.word)` adds a record with a \(labels.singular).",
                in: state.context)
        } else {
            self.init(
                "No \(labels.plural) for “\(state.filter.sanitizedLine)”", "`\(labels.plural)` shows all of them.",
                in: state.context)
        }
    }

    /// Creates the note of an agenda; nil: it has records.
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

    /// Creates the note of statistics; nil: there is a number above 0.
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

/// The words for the labels of a report.
struct LabelWords {
    /// The name of the labels, which is that of the report that lists them: `projects`.
    let plural: String
    /// The noun for one of them: `project`.
    let singular: String
    /// The word that gives a new record a label: `project:NAME`.
    let word: String

    /// The words for tags.
    static let tags = LabelWords(plural: TagsScreen.name, singular: "tag", word: "+NAME")

    /// Returns the words for the projects of these types.
    static func projects(of types: RecordTypes) -> LabelWords {
        LabelWords(
            plural: ProjectsScreen.name, singular: "project",
            word: (types.projectField?.name ?? FieldKey.project.name) + ":NAME")
    }
}
