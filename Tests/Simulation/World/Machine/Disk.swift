import CSimulatedDisk
import Foundation

/// A directory whose SQLite files are in memory, and which can fail.
struct Disk: Sendable {
    /// The directory; below `Disk.marker`.
    let path: String

    /// What the paths of simulated files contain.
    static let marker = "satchel-simulation"

    /// Installs the simulated disks under SQLite, in this process.
    static func install() { simulated_disk_install(marker) }

    /// Deletes all files.
    func erase() { simulated_disk_erase(path) }

    /// Copies the files of another disk, in place of the present ones.
    func copy(_ other: Disk) { simulated_disk_copy(other.path, path) }

    /// Copies the files of another disk while files are open, between their transactions.
    func rewind(to other: Disk) { simulated_disk_rewind(other.path, path) }

    /// Processes with open files get only errors from now on.
    ///
    /// - Parameter luck: decides which unsynced writes survive; nil: all do, only the process is killed.
    func disconnect(losing luck: UInt64?) { simulated_disk_crash(path, luck == nil ? 0 : 1, luck ?? 0) }

    /// A new number for a process that opens files.
    static func newNumber() -> Int32 { lastNumber.next() }

    private static let lastNumber = Counter()

    /// The counter for all worlds of this program.
    ///
    /// `@unchecked Sendable`: the count is accessed only while `lock` is held.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count: Int32 = 0

        func next() -> Int32 {
            lock.withLock {
                count += 1
                return count
            }
        }
    }

    /// Opens files under a process number, for `kill`.
    static func open<Result>(as number: Int32, _ body: () throws -> Result) rethrows -> Result {
        simulated_disk_open_as(number)
        defer { simulated_disk_open_as(0) }
        return try body()
    }

    /// Makes all operations on files opened under this number fail from now on; other files are not affected.
    static func kill(_ number: Int32) { simulated_disk_kill(number) }

    /// Makes operations fail, from number `after` on.
    func fail(_ trouble: DiskTrouble, after: Int, count: Int) {
        let fault =
            switch trouble {
            case .full: SimulatedFaultFull
            case .write: SimulatedFaultWrite
            case .read: SimulatedFaultRead
            }
        simulated_disk_fail(path, Int32(fault), Int32(after), Int32(count), 0)
    }

    /// Cuts the power at the write number `after`.
    func cutPower(after: Int, luck: UInt64) {
        simulated_disk_fail(path, Int32(SimulatedFaultPowerCut), Int32(after), 1, luck)
    }

    /// Ends all faults.
    func endFaults() { simulated_disk_fail(path, Int32(SimulatedFaultNone), 0, 0, 0) }

    /// Whether the power was cut since the last call.
    func wasCut() -> Bool { simulated_disk_was_cut(path) != 0 }
}

/// A disk, and the stores that stay open on it from one run to the next: opening one takes longer than a whole run.
/// Sendable: see `Loop`.
final class StoreDisk<Store>: @unchecked Sendable {
    let disk: Disk
    private var kept: [Opened] = []
    /// The clock of the stores, in milliseconds since 1970: the machine's clock in the present run.
    var wall: () -> UInt64 = { 0 }

    init(_ disk: Disk) { self.disk = disk }

    /// An open store, and the number of its files for `Disk.kill`.
    struct Opened {
        let store: Store
        let number: Int32
    }

    /// A store from the last run, or a newly opened one.
    func open(_ open: () throws -> Store) rethrows -> Opened {
        if let last = kept.popLast() { return last }
        let number = Disk.newNumber()
        return Opened(store: try Disk.open(as: number, open), number: number)
    }

    /// Keeps the store of a process that ended cleanly.
    func keep(_ opened: Opened) { kept.append(opened) }

    /// Releases the stores of the last run.
    func discard() { kept = [] }

    /// Restores the initial state of a run.
    func prepare(from template: Disk) {
        if kept.isEmpty { disk.copy(template) } else { disk.rewind(to: template) }
    }
}
