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
        return [
            .screen(
                ListScreen.self, verbs: ListScreen.verbs(for: services.types), schemaInfo: services.types.schemaInfo
            ) { _ in ListController(services.notebook) },
            .screen(SavedListsScreen.self, verbs: SavedListsScreen.verbs.naming(only: samples)) { _ in
                SavedListsController(services.notebook)
            },
            .screen(DetailScreen.self, verbs: DetailScreen.verbs(for: services.types)) { _ in
                DetailController(services.notebook)
            },
            .screen(HistoryScreen.self) { _ in
                HistoryController(services.notebook, backend: services.backend, devices: services.devices)
            },
            .screen(UndoScreen.self) { _ in UndoController(services.notebook) },
            .screen(TransferScreen.self) { _ in TransferController(services.notebook) },
            .screen(LoginScreen.self) { _ in LoginController(services.account) },
            .screen(SessionScreen.self) { _ in SessionController(services.account) },
            .screen(SyncScreen.self) { _ in SyncController(services.notebook, services.sync) },
            .screen(ConflictsScreen.self) { _ in ConflictsController(services.notebook, devices: services.devices) },
            .screen(DoctorScreen.self) { _ in
                DoctorController(
                    services.notebook, engine: services.engine, sync: services.sync, hooks: services.hooks)
            },
        ]
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
