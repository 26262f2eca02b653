public import ControllerKit
public import Controllers
public import LineView
internal import Manual
public import Records
public import WebPageView

extension Catalog {
    /// Satchel's screens with their renderers for lines and pages.
    ///
    /// - Parameter others: Further screens of a program, after Satchel's own.
    /// - Throws: `CatalogError`.
    public static func satchel(_ services: Services, and others: [Entry] = []) throws(CatalogError) -> Catalog {
        try Catalog.standard(services, and: others).shown(by: satchelRenderers(services.types))
    }
}

/// Returns the renderers of Satchel's screens, a line for each screen. Each screen has a folder.
func satchelRenderers(_ types: RecordTypes) -> [ScreenRendererGroup] {
    [
        ScreenRendererGroup(ListScreen.self) { [ListLines.renderer, ListPage.renderer(types)] },
        ScreenRendererGroup(SavedListsScreen.self) { [SavedListsLines.renderer, SavedListsPage.renderer] },
        ScreenRendererGroup(ContextScreen.self) { [ContextLines.renderer, ContextPage.renderer] },
        ScreenRendererGroup(AgendaScreen.self) {
            let deadline = types.listedTypes.lazy.compactMap(\.deadline).first?.name ?? FieldKey.due.name
            return [AgendaLines.renderer(deadline), AgendaPage.renderer(deadline)]
        },
        ScreenRendererGroup(ProjectsScreen.self) {
            GroupingView.numbers.renderers(ProjectsScreen.self, .projects(of: types), title: "Projects") {
                types.projectFilter($0)
            }
        },
        ScreenRendererGroup(TagsScreen.self) {
            GroupingView.numbers.renderers(TagsScreen.self, .tags, title: "Tags") {
                CommandWords.joined([$0.isEmpty ? FieldKey.tags.name + ":none" : "+" + $0])
            }
        },
        ScreenRendererGroup(SummaryScreen.self) {
            GroupingView.progress.renderers(SummaryScreen.self, .projects(of: types), title: "Summary") {
                types.projectFilter($0)
            }
        },
        ScreenRendererGroup(CountScreen.self) { [CountLines.renderer, CountPage.renderer] },
        ScreenRendererGroup(StatsScreen.self) { [StatsLines.renderer, StatsPage.renderer] },
        ScreenRendererGroup(DetailScreen.self) { [DetailLines.renderer, DetailPage.renderer] },
        ScreenRendererGroup(WritingScreen.self) { [WritingLines.renderer, WritingPage.renderer] },
        ScreenRendererGroup(HistoryScreen.self) { [HistoryLines.renderer, HistoryPage.renderer] },
        ScreenRendererGroup(UndoScreen.self) { [UndoLines.renderer, UndoPage.renderer] },
        ScreenRendererGroup(TransferScreen.self) { [TransferLines.renderer, TransferPage.renderer] },
        // Without lines: at a terminal, the notice of `login` and `register` is the whole answer.
        ScreenRendererGroup(LoginScreen.self) { [LoginPage.renderer] },
        ScreenRendererGroup(SessionScreen.self) { [SessionLines.renderer, SessionPage.renderer] },
        ScreenRendererGroup(SyncScreen.self) { [SyncLines.renderer, SyncPage.renderer] },
        ScreenRendererGroup(ConflictsScreen.self) { [ConflictsLines.renderer, ConflictsPage.renderer] },
        ScreenRendererGroup(DoctorScreen.self) { [DoctorLines.renderer, DoctorPage.renderer] },
        ScreenRendererGroup(ConfigScreen.self) { [ConfigLines.renderer] },
    ]
}

extension Program {
    /// Satchel's client.
    public static let satchel = Program(
        name: "Satchel", command: "satchel", version: Release.version, day: Release.day,
        related: ["satcheld(8)", "editrc(5)"], foreignCommandHints: foreignCommandHints)

    /// The hints for commands of Taskwarrior, nb and todo.txt that have no equivalent.
    private static let foreignCommandHints = [
        "archive": "Done tasks need no archiving: `list` hides them. To see them, type: list done",
        "bookmark": "Save the address in a note; type: note TITLE",
        "colors": "The setting `theme` chooses the colours; type: config theme",
        "columns": "The setting `columns` chooses the columns; type: config columns",
        "copy": "To copy a record, show it and add one like it; type: show 1",
        "denotate": "An annotation can't be removed on its own. If adding it was your last command, type: undo",
        "duplicate": "To copy a record, show it and add one like it; type: show 1",
        "folders": "Projects take the place of folders; type: projects",
        "ids": "To print ids, type: list --plain --columns id",
        "long": "A list prints the columns that you choose; type: list --plain --columns id,due,tags,title",
        "minimal": "A list prints the columns that you choose; type: list --plain --columns id,title",
        "move": "A project takes the place of a folder; type: edit 1 project:garden",
        "newest": "Sort with `list`; type: list sort:-created",
        "oldest": "Sort with `list`; type: list sort:created",
        "purge": "There is no purge; `rm` deletes a record; type: rm 1",
        "rc.": "Settings are in a file, which `config` shows; leave the word out.",
        "recurring": "Filter with `list`; type: list has:repeat",
        "sort": "Sort with `list`; type: list sort:due",
        "timesheet": "Time spent is shown by `show`, the work of each week by `stats`; type: stats",
        "todo": "Tasks have commands of their own: `add`, `list` and `done`; type: help",
        "unblocked": "Filter with `list`; type: list not blocked",
        "uuids": "To print ids, type: list --plain --columns id",
        "version": "Use the option --version; type: satchel --version",
    ]
}

extension HelpTopic {
    /// The topics that describe Satchel's screens and a client's process, in the order of the man page.
    ///
    /// - Parameter types: The program's record types. Repeating tasks are described if there are tasks, links
    ///   and templates if there are notes.
    public static func standard(of program: Program, _ types: RecordTypes) -> [HelpTopic] {
        let repeating = types.declares(TaskRecord.type.collection) ? [Self.repeating] : []
        let writing = types.declares(NoteRecord.type.collection) ? [Self.writing] : []
        return [records, dates, filters(of: types)] + repeating + writing + [
            prompt(of: program), settings(of: program), scripts(of: program), agents(of: program), syncing,
            hooks(of: program), exitCodes, environment(of: program), files(of: program),
        ]
    }
}

extension PageDesign {
    /// The design of Satchel's page.
    public static let satchel = PageDesign(
        .satchel,
        templates: [
            "list": PackageResources.list_mustache,
            "empty": PackageResources.empty_mustache,
            "lists": PackageResources.lists_mustache,
            "contexts": PackageResources.contexts_mustache,
            "report": PackageResources.report_mustache,
            "agenda": PackageResources.agenda_mustache,
            "entry": PackageResources.entry_mustache,
            "groups": PackageResources.groups_mustache,
            "count": PackageResources.count_mustache,
            "stats": PackageResources.stats_mustache,
            "doctor": PackageResources.doctor_mustache,
            "row": PackageResources.row_mustache,
            "detail": PackageResources.detail_mustache,
            "conflicts": PackageResources.conflicts_mustache,
            "conflict": PackageResources.conflict_mustache,
            "sync": PackageResources.sync_mustache,
            "session": PackageResources.session_mustache,
            "app-password": PackageResources.app_password_mustache,
            "login": PackageResources.login_mustache,
            "undo": PackageResources.undo_mustache,
            "history": PackageResources.history_mustache,
            "transfer": PackageResources.transfer_mustache,
            "diff": PackageResources.diff_mustache,
        ], styles: PackageResources.screens_css,
        headStatuses: [.sync, PageHeadStatus(SavedListsScreen.self, verb: "lists")])
}
