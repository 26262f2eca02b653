/// The events of one run, as values: drawn from a seed up front, stored as JSON, and still valid with steps left out.
package struct Schedule: Codable, Sendable, Equatable {
    /// Determines what isn't drawn up front: ids, keys, tokens, what a power cut loses.
    package var seed: UInt64
    /// The devices; the first ones belong to one account.
    package var devices: Int
    /// Whether the last device belongs to another account.
    package var hasStranger: Bool
    /// How the homes are used.
    package var homes: Homes
    /// The server's size limits for requests and pages.
    package var limits: ServerLimits
    /// The number of the server's processes. Several share one database; each request reaches any of them.
    package var serverProcesses: Int
    /// The steps, in order.
    package var steps: [Step]
}

/// How all homes of a schedule are used.
package enum Homes: String, Codable, Sendable {
    /// One process has each home, and syncs when the user requests it.
    case oneProcess = "alone"
    /// Several processes share each home: sessions at the prompt, single commands, one in the background.
    case shared
    /// Same as `shared`, on homes that are not signed in yet.
    case fresh

    /// How each of them is used.
    var use: HomeUse { self == .oneProcess ? .oneProcess : .shared }
}

/// Whether one process has a home, or several share it.
enum HomeUse {
    case oneProcess, shared
}

/// A server's size limits for requests and pages.
package struct ServerLimits: Codable, Sendable, Equatable {
    /// Records on a page.
    package var pageRecords: Int
    /// The size of a request's body, in bytes; nil: as in production.
    package var bodyBytes: Int?
    /// The size of a record's fields, in bytes; nil: as in production.
    package var fieldsBytes: Int?
}

/// An event, and the pause after it.
package struct Step: Codable, Sendable, Equatable {
    /// Names the step in the story and in the words that it writes; unchanged when other steps are left out.
    package var number: Int
    /// The event.
    package var action: Action
    /// The home's terminal, if processes share the home.
    package var terminal = 0
    /// The pause until the next step, in milliseconds.
    package var pause: Int64
}

/// The possible events. Devices are given by their numbers.
package enum Action: Codable, Sendable, Equatable {
    /// The user changes fields of a record, which is created or revived if needed.
    case edit(device: Int, record: Int, parts: [Part])
    /// The user deletes a record.
    case delete(device: Int, record: Int)
    /// The user edits a repeating task: one of those on the device, or the first one, if there is none.
    case chore(device: Int, task: Int, Chore)
    /// The user dismisses a conflict: one of those in the inbox.
    case dismiss(device: Int, conflict: Int)
    /// The device syncs; the fates of its requests, in order; later ones succeed.
    case sync(device: Int, fates: [Fate])
    /// The user opens a session at the prompt, at a terminal without one.
    case open(device: Int)
    /// The user ends a session at the prompt.
    case quit(device: Int)
    /// The fate of the next requests of a device, from any of its processes.
    case disturb(device: Int, fates: [Fate])
    /// A device has no network for this many milliseconds.
    case partition(device: Int, for: Int64)
    /// A machine's clock has this error from now on, in milliseconds.
    case clock(Machine, off: Int64)
    /// A machine's process, any of several, is killed after this many more jobs: at one of its awaits.
    case kill(Machine, jobs: Int)
    /// The power is cut at the machine's write number `after` from now: unsynced data may be lost.
    case cutPower(Machine, after: Int)
    /// From the machine's operation number `after` on, `count` of them fail.
    case fail(Machine, DiskTrouble, after: Int, count: Int)
    /// A long pause, after which tokens have expired.
    case wait(Int64)
    /// A device signs another one out.
    case revoke(device: Int, by: Int)
    /// The user signs in, again if already signed in.
    case logIn(device: Int)
    /// The user signs out.
    case logOut(device: Int)
    /// The owner backs the server up.
    case backUp
    /// The owner restores the last backup.
    case restore
    /// The server deletes its tombstones: the retention time has passed.
    case purge
}

/// A machine of the simulation.
package enum Machine: Codable, Sendable, Hashable {
    case server
    case device(Int)
}

/// How a disk fails.
package enum DiskTrouble: String, Codable, Sendable, CaseIterable {
    case full, write, read
}

/// An event of a repeating task.
package enum Chore: String, Codable, Sendable, CaseIterable {
    /// It is completed, so that it repeats.
    case complete
    /// It is reopened, so that its next instance is removed.
    case reopen
    /// It gets another title.
    case retitle
    /// It is deleted.
    case delete
}

/// A part of an edit: which field, and the place in it.
package enum Part: Codable, Sendable, Equatable {
    /// A new title or project, which replaces the old one; another field that no client knows.
    case title, project, unknown
    /// The title is removed.
    case untitle
    /// A tag is added; `removing`: the one at this place is removed.
    case tag(removing: Int?)
    /// A line is added at a place of the body; `removing`: the one at this place is removed.
    case line(at: Int, removing: Int?)
}

/// The fate of one request.
package struct Fate: Codable, Sendable, Equatable {
    package var kind: Kind
    /// The latency of the request, in milliseconds.
    package var outbound: Int64
    /// The latency of the answer.
    package var inbound: Int64

    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// It arrives and is answered.
        case delivered
        /// It never arrives.
        case requestLost
        /// The server acts; its answer never arrives.
        case answerLost
        /// It arrives a second time, later.
        case doubled
        /// It arrives long after the device has given it up.
        case late
        /// It is never answered, and the device waits as long as for a slow answer.
        case unanswered
        /// Half of the answer's body arrives, and looks complete.
        case garbled
    }

    /// A request without faults.
    package static let good = Fate(kind: .delivered, outbound: 20, inbound: 20)
}
