/// A disk, and the store that is open on it from one run to the next: opening one takes longer than a whole run.
///
/// Sendable: see `Loop`.
final class Room<Store>: @unchecked Sendable {
    let disk: Disk
    private var kept: Store?
    /// The clock that the store goes by, in milliseconds since 1970; the machine's of the present run.
    var wall: () -> UInt64 = { 0 }

    init(_ disk: Disk) { self.disk = disk }

    /// The store from the last run, or one that is opened now.
    func open(_ open: () throws -> Store) rethrows -> Store {
        defer { kept = nil }
        return try kept ?? open()
    }

    /// Keeps the store of a machine that did nothing in the end.
    func keep(_ store: Store) { kept = store }

    /// Lets go of a store from the last run.
    func discard() { kept = nil }

    /// Puts the disk into the state that a run begins with.
    func prepare(from template: Disk) {
        if kept == nil { disk.copy(template) } else { disk.rewind(to: template) }
    }
}
