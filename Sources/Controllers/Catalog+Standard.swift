internal import Backend
public import ControllerKit
internal import Notebook
internal import Records

extension Catalog {
    /// Satchel's screens. A screen is one file, and one line here.
    ///
    /// - Parameter others: Further screens, after Satchel's own.
    /// - Throws: `CatalogError`.
    public static func standard(_ services: Services, and others: [Entry] = []) throws(CatalogError) -> Catalog {
        try Catalog(satchel(services) + others).beginning { await services.firstScreen() }
    }

    private static func satchel(_ services: Services) -> [Entry] {
        let samples = SampleWords(services.types)
        let records: [Entry] = [
            .screen(
                ListScreen.self, verbs: ListScreen.verbs(for: services.types),
                schemaInfo: { services.types.schemaInfo }
            ) { _ in ListController(services.notebook, settings: services.settings.values) },
            .screen(ContextScreen.self, verbs: ContextScreen.verbs.naming(only: samples)) { _ in
                ContextController(services.notebook)
            },
            .screen(SavedListsScreen.self, verbs: SavedListsScreen.verbs.naming(only: samples)) { _ in
                SavedListsController(services.notebook)
            },
            .screen(DetailScreen.self, verbs: DetailScreen.verbs(for: services.types)) { _ in
                DetailController(services.notebook, settings: services.settings.values)
            },
            .screen(WritingScreen.self, verbs: WritingScreen.verbs(for: services.types)) { _ in
                WritingController(services.notebook, settings: services.settings.values)
            },
        ]
        let others: [Entry] = [
            .screen(HistoryScreen.self) { _ in
                HistoryController(services.notebook, backend: services.backend, devices: services.devices)
            },
            .screen(UndoScreen.self) { _ in UndoController(services.notebook) },
            .screen(TransferScreen.self) { _ in TransferController(services.notebook) },
            .screen(LoginScreen.self) { _ in LoginController(services.account) },
            .screen(SessionScreen.self) { _ in
                SessionController(services.account, dates: { services.notebook.dates })
            },
            .screen(SyncScreen.self) { _ in SyncController(services.notebook, services.sync) },
            .screen(ConflictsScreen.self) { _ in ConflictsController(services.notebook, devices: services.devices) },
            .screen(DoctorScreen.self) { _ in
                DoctorController(
                    services.notebook, engine: services.engine, sync: services.sync, hooks: services.hooks)
            },
            .screen(ConfigScreen.self) { _ in ConfigController(services.settings, notebook: services.notebook) },
        ]
        return records + reports(services, samples) + others
    }

    /// The reports for which the types of the program have the fields.
    private static func reports(_ services: Services, _ samples: SampleWords) -> [Entry] {
        let (notebook, types) = (services.notebook, services.types)
        return report(AgendaScreen.self, AgendaScreen.verbs(for: types), samples) { AgendaController(notebook) }
            + report(ProjectsScreen.self, ProjectsScreen.verbs(for: types), samples) {
                GroupingReportController<ProjectsScreen>(notebook, by: .project)
            }
            + report(TagsScreen.self, TagsScreen.verbs(for: types), samples) {
                GroupingReportController<TagsScreen>(notebook, by: .tags)
            }
            + report(SummaryScreen.self, SummaryScreen.verbs(for: types), samples) {
                GroupingReportController<SummaryScreen>(notebook, by: .project, onlyCompletable: true)
            }
            + report(CountScreen.self, CountScreen.verbs(for: types), samples) { CountController(notebook) }
            + report(StatsScreen.self, StatsScreen.verbs(for: types), samples) { StatsController(notebook) }
    }

    /// Returns the entry of a report; none if it has no verbs in this program.
    private static func report<S: Screen>(
        _ screen: S.Type, _ verbs: [Verb<S.Intent>], _ samples: SampleWords,
        _ make: @escaping @MainActor () -> any Controller<S>
    ) -> [Entry] where S.Parameter == Void {
        verbs.isEmpty ? [] : [.screen(screen, verbs: verbs.naming(only: samples)) { _ in make() }]
    }
}

extension Services {
    /// The first screen of a view session: the conflicts if there are open ones, or the account if its session has
    /// ended; nil: the default one. A home without an account works, so it isn't asked to sign in.
    func firstScreen() async -> FirstScreen? {
        // Errors are ignored: the first command reports a cache or a session that can't be read.
        if let waiting = try? await notebook.read({ try $0.openConflictCount() }), waiting > 0 {
            return FirstScreen(ConflictsScreen.self, verb: "conflicts")
        }
        if case .ended? = try? await backend.session.status() { return FirstScreen(SessionScreen.self, verb: "whoami") }
        return nil
    }
}
