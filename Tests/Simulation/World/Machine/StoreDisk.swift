/// A disk, and the stores that are open on it from one run to the next: opening one takes longer than a whole run.
///
/// Sendable: see `Loop`.
final class StoreDisk<Store>: @unchecked Sendable {
    let disk: Disk
    private var kept: [Opened] = []
    /// The clock of the stores, in milliseconds since 1970: the machine's clock in the present run.
    var wall: () -> UInt64 = { 0 }

    init(_ disk: Disk) { self.disk = disk }

    /// An open store, and the number by which `Disk.kill` knows its files.
    struct Opened {
        let store: Store
        let number: Int32
    }

    /// A store from the last run, or one that is opened now.
    func open(_ open: () throws -> Store) rethrows -> Opened {
        if let last = kept.popLast() { return last }
        let number = Disk.newNumber()
        return Opened(store: try Disk.open(as: number, open), number: number)
    }

    /// Keeps the store of a process that ended cleanly.
    func keep(_ opened: Opened) { kept.append(opened) }

    /// Releases the stores of the last run.
    func discard() { kept = [] }

    /// Puts the disk into the state that a run begins with.
    func prepare(from template: Disk) {
        if kept.isEmpty { disk.copy(template) } else { disk.rewind(to: template) }
    }
}
