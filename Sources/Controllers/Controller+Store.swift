public import ControllerKit
public import LocalStore

extension Controller {
    /// Makes the controller read its data again after each write to the cache, by any process. To be called in
    /// `didLoad`; it ends with the presentation.
    public func notifyingOfChanges(in store: LocalStore) {
        let changes = store.changes()
        run { [weak self] in
            for await _ in changes { self?.notifyDataChanged() }
        }
    }
}
