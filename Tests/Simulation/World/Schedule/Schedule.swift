/// What happens in one run, as values: drawn from a seed up front, stored as JSON, and still valid with steps left out.
package struct Schedule: Codable, Sendable, Equatable {
    /// Fixes what isn't drawn up front: ids, keys, tokens, what a power cut loses.
    package var seed: UInt64
    /// The devices; the first ones belong to one account.
    package var devices: Int
    /// Whether the last device belongs to another account.
    package var hasStranger: Bool
    /// How the homes are used.
    package var homes: Homes
    /// The server's size limits for requests and pages.
    package var limits: ServerLimits
    /// What happens, in order.
    package var steps: [Step]
}

/// How all homes of a schedule are used.
package enum Homes: String, Codable, Sendable {
    /// One process has each home, and syncs when the person says so.
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

/// Something that happens, and how long nothing else does.
package struct Step: Codable, Sendable, Equatable {
    /// Names the step in the story and in the words that it writes; stays when other steps are left out.
    package var number: Int
    /// What happens.
    package var action: Action
    /// The home's terminal, if processes share the home.
    package var terminal = 0
    /// How long it takes until the next step, in milliseconds.
    package var pause: Int64
}

/// What can happen. Devices go by their numbers.
package enum Action: Codable, Sendable, Equatable {
    /// The person changes fields of a record, which is made or revived by it.
    case edit(device: Int, record: Int, parts: [Part])
    /// The person deletes a record.
    case delete(device: Int, record: Int)
    /// The person has to do with a task that repeats: one of those on the device, or the first one, if there is none.
    case chore(device: Int, task: Int, Chore)
    /// The person has seen a conflict: one of those in the inbox.
    case dismiss(device: Int, conflict: Int)
    /// The device syncs; what becomes of its requests, in their order; those after the last go well.
    case sync(device: Int, fates: [Fate])
    /// The person opens a session at the prompt, at a terminal where there is none.
    case open(device: Int)
    /// The person ends a session at the prompt.
    case quit(device: Int)
    /// The fate of the next requests of a device, from any of its processes.
    case disturb(device: Int, fates: [Fate])
    /// A device has no network for so many milliseconds.
    case partition(device: Int, for: Int64)
    /// A machine's clock is so many milliseconds wrong from now on.
    case clock(Machine, off: Int64)
    /// A machine's process is killed when it has run so many more jobs: at one of its awaits.
    case kill(Machine, jobs: Int)
    /// The power goes off at the machine's write number `after` from now: what was not synced may be gone.
    case cutPower(Machine, after: Int)
    /// From the machine's operation number `after` on, `count` ones fail.
    case fail(Machine, DiskTrouble, after: Int, count: Int)
    /// Nothing happens for long: tokens run out.
    case wait(Int64)
    /// A device signs another one out.
    case revoke(device: Int, by: Int)
    /// The person signs in, again where that was done before.
    case logIn(device: Int)
    /// The person signs out.
    case logOut(device: Int)
    /// The owner backs the server up.
    case backUp
    /// The owner goes back to the last backup.
    case restore
    /// The server forgets its tombstones: the retention has passed.
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

/// What becomes of a task that repeats.
package enum Chore: String, Codable, Sendable, CaseIterable {
    /// It is done, so that it comes again.
    case complete
    /// It is to be done again after all, so that what it made is taken back.
    case reopen
    /// It gets another title.
    case retitle
    /// It is deleted.
    case delete
}

/// A part of an edit: which field, and where in it.
package enum Part: Codable, Sendable, Equatable {
    /// A new title or project, which replaces the old one; another field that no client knows.
    case title, project, unknown
    /// The title goes.
    case untitle
    /// A tag more; `removing`: the one at this place goes.
    case tag(removing: Int?)
    /// A line more at a place of the body; `removing`: the one at this place goes.
    case line(at: Int, removing: Int?)
}

/// What becomes of one request.
package struct Fate: Codable, Sendable, Equatable {
    package var kind: Kind
    /// How long the request takes to the server, in milliseconds.
    package var outbound: Int64
    /// How long the answer takes back.
    package var inbound: Int64

    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// It comes and is answered.
        case delivered
        /// It never comes.
        case requestLost
        /// The server acts; its answer never comes.
        case answerLost
        /// It comes a second time, later.
        case doubled
        /// It comes long after the device has given it up.
        case late
        /// It is never answered, and the device waits for as long as it would for a slow answer.
        case unanswered
        /// Half of the answer's body comes, and passes for the whole.
        case garbled
    }

    /// A request on a line without faults.
    package static let good = Fate(kind: .delivered, outbound: 20, inbound: 20)
}
