public import ControllerKit
public import LocalStore

extension Controller {
    /// Has the controller read its data anew whenever something was written to the cache, by whomever. To be called in
    /// `didLoad`; it ends with the presentation.
    public func notifyingOfChanges(in store: LocalStore) {
        let changes = store.changes()
        run { [weak self] in
            for await _ in changes { self?.notifyDataChanged() }
        }
    }
}
