public import ControllerKit

extension Catalog {
    /// Satchel's screens: a screen is one file, and one line here.
    ///
    /// - Parameter others: Screens of one's own, which stand after them.
    public static func standard(_ services: Services, and others: [Entry] = []) throws(CatalogError) -> Catalog {
        try Catalog(satchel(services) + others)
    }

    private static func satchel(_ services: Services) -> [Entry] {
        [
            .screen(ListScreen.self) { _ in ListController(services) },
            .screen(SavedListsScreen.self) { _ in SavedListsController(services) },
            .screen(DetailScreen.self) { _ in DetailController(services) },
            .screen(HistoryScreen.self) { _ in HistoryController(services) },
            .screen(UndoScreen.self) { _ in UndoController(services) },
            .screen(TransferScreen.self) { _ in TransferController(services) },
            .screen(LoginScreen.self) { _ in LoginController(services) },
            .screen(SessionScreen.self) { _ in SessionController(services) },
            .screen(SyncScreen.self) { _ in SyncController(services) },
            .screen(ConflictsScreen.self) { _ in ConflictsController(services) },
            .screen(DoctorScreen.self) { _ in DoctorController(services) },
        ]
    }
}
