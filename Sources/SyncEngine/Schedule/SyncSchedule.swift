internal import Backend
internal import LocalStore
internal import SyncAPI

/// The decision when to sync automatically: a state machine without clock, timer or socket. Each function receives an
/// event and returns the next action. Moments are durations since any fixed start; random numbers come from outside.
///
/// While it is on and an account is signed in, it never rests with unsent edits, with one exception: if the server has
/// refused them permanently, it rests until something changes. A home that may only read goes on receiving changes as
/// they are announced.
public struct SyncSchedule: Sendable, Equatable {
    /// The next action, until the next event.
    enum Action: Sendable, Equatable {
        /// Sync now, and report the result with `finished`.
        case sync
        /// Call `timePassed` at this moment.
        case wait(until: Duration)
        /// Wait for the next event.
        case rest
    }

    /// Whether automatic sync is on.
    private(set) var isOn: Bool
    /// Whether an account is signed in.
    private(set) var isSignedIn: Bool
    /// Whether the server's events are being received.
    private(set) var isLive = false
    /// Whether `sync` was returned and `finished` was not called since.
    private(set) var isSyncing = false
    /// Whether it waits because of failures, until `notBefore`.
    var isBackingOff: Bool { failures > 0 }
    /// The moment before which nothing is sent; nil: there is none.
    var notBefore: Duration? { [ownPause, serverPause].compactMap(\.self).max() }

    private let timing: Timing
    private var failures = 0
    /// The end of the pause after a failure that the server didn't ask for.
    private var ownPause: Duration?
    /// The end of the pause that the server asked for. It applies whatever else changes, until the server has answered.
    private var serverPause: Duration?
    /// The newest edit in the outbox at the last look.
    private var newestEdit: String?
    private var wish = Wish()

    /// - Parameters:
    ///   - isOn: See `observed`.
    ///   - isSignedIn: See `session`.
    init(isOn: Bool = true, isSignedIn: Bool = false, timing: Timing = Timing()) {
        (self.isOn, self.isSignedIn, self.timing) = (isOn, isSignedIn, timing)
    }

    /// The reasons for which a sync is wanted, each with the moment.
    private struct Wish: Equatable {
        /// Any other reason than those below.
        var asked: Duration?
        /// Changes that the server announced: the first moment since the last sync, and the last cursor.
        var heard: (moment: Duration, cursor: String)?
        /// The first and the last edit since the last sync began.
        var edits: (first: Duration, last: Duration)?

        static func == (left: Wish, right: Wish) -> Bool {
            left.asked == right.asked && left.heard?.moment == right.heard?.moment
                && left.heard?.cursor == right.heard?.cursor && left.edits?.first == right.edits?.first
                && left.edits?.last == right.edits?.last
        }

        func due(_ timing: Timing) -> Duration? {
            let edited = edits.map { min($0.last + timing.debounce, $0.first + timing.longestDebounce) }
            return [asked, heard?.moment, edited].compactMap(\.self).min()
        }

        mutating func ask(at moment: Duration) { asked = min(asked ?? moment, moment) }
    }
}

// MARK: - What happens here

extension SyncSchedule {
    /// Handles a look at the home.
    ///
    /// - Parameters:
    ///   - isOn: Whether automatic sync is on.
    ///   - newestEdit: Names the newest unsent edit that may be sent; nil: there is none.
    mutating func observed(isOn: Bool, newestEdit: String?, at now: Duration) -> Action {
        if isOn, !self.isOn { begin(at: now + timing.startGrace) }
        self.isOn = isOn
        look(at: newestEdit, now)
        return next(at: now)
    }

    /// Handles that an account has signed in, or that the session is over.
    mutating func session(isSignedIn: Bool, at now: Duration) -> Action {
        if isSignedIn, !self.isSignedIn { begin(at: now + timing.startGrace) }
        self.isSignedIn = isSignedIn
        return next(at: now)
    }

    /// Handles that the moment of `wait` has come.
    mutating func timePassed(at now: Duration) -> Action { next(at: now) }

    private mutating func look(at newest: String?, _ now: Duration) {
        defer { newestEdit = newest }
        guard let newest, newest != newestEdit else { return }
        // The server refused another edit, so that pause doesn't apply to this one.
        if failures == 0 { ownPause = nil }
        wish.edits = (wish.edits?.first ?? now, now)
    }

    /// Asks for a sync after an obstacle may have gone. Earlier failures don't count any more; the pause that the
    /// server asked for stays. If the stream of events is opened now, too, it gets a moment to open first: then one
    /// sync is enough for both.
    private mutating func begin(at moment: Duration) {
        (failures, ownPause) = (0, nil)
        wish.ask(at: moment)
    }
}

// MARK: - Events of the server

extension SyncSchedule {
    /// Handles that the stream of events is open; the changes before it are received.
    mutating func connected(at now: Duration) -> Action {
        isLive = true
        begin(at: now)
        return next(at: now)
    }

    /// Handles that the stream of events is closed; until it is open again, the server is polled.
    mutating func disconnected(at now: Duration) -> Action {
        isLive = false
        wish.ask(at: now + timing.poll)
        return next(at: now)
    }

    /// Handles that the server announces a change.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the space after the change.
    ///   - held: The cursor of this home. Changes that it has already need no sync, such as the echo of its own edits.
    mutating func heard(_ cursor: String, holding held: String?, at now: Duration) -> Action {
        // The first moment is kept, so that a series of events doesn't delay the sync.
        if cursor != held { wish.heard = (wish.heard?.moment ?? now, cursor) }
        return next(at: now)
    }
}

// MARK: - What a sync has come to

extension SyncSchedule {
    /// Handles the end of the sync.
    ///
    /// - Parameters:
    ///   - newestEdit: The newest unsent edit after the sync, as in `observed`.
    ///   - random: A number from 0 up to 1, which spreads the devices that lost one server together.
    mutating func finished(
        _ outcome: Outcome, newestEdit: String?, at now: Duration, random: Double
    ) -> Action {
        isSyncing = false
        if newestEdit != self.newestEdit { look(at: newestEdit, now) }
        switch outcome {
        case .done(let cursor):
            succeeded(upTo: cursor, now)
            if newestEdit != nil, wish.edits == nil { wish.edits = (now, now) }
        // The edits aren't sent again before there is another one: they would be refused again.
        case .received(let cursor): succeeded(upTo: cursor, now)
        case .busy: wish.ask(at: now + timing.busy)
        case .failed(let retryAfter):
            failures += 1
            ownPause = now + timing.backOff(failures: failures, random: random)
            serverPause = retryAfter.map { now + $0 }
            wish.ask(at: now)
        case .refused: refused(now)
        case .signedOut: isSignedIn = false
        }
        return next(at: now)
    }

    private mutating func succeeded(upTo cursor: String?, _ now: Duration) {
        (failures, ownPause, serverPause) = (0, nil, nil)
        // Changes that were announced during the sync may be missing in it.
        if let heard = wish.heard, heard.cursor == cursor { wish.heard = nil }
        if !isLive { wish.ask(at: now + timing.poll) }
    }

    /// Rests until something changes, since the server would refuse the same again. Changes of others are received, but
    /// not sooner than after the longest pause.
    private mutating func refused(_ now: Duration) {
        failures = 0
        (wish.asked, wish.heard) = (nil, nil)
        (ownPause, serverPause) = (wish.edits == nil ? now + timing.longestBackOff : nil, nil)
    }

    private mutating func next(at now: Duration) -> Action {
        guard isOn, isSignedIn, !isSyncing, let due = wish.due(timing) else { return .rest }
        let moment = max(due, notBefore ?? due)
        guard moment <= now else { return .wait(until: moment) }
        isSyncing = true
        // What is wanted from now on is wanted after this sync.
        wish = Wish()
        return .sync
    }
}

extension SyncSchedule {
    /// The outcome of a sync, as far as it decides when to sync next.
    enum Outcome: Sendable, Equatable {
        /// In step with the server, up to this cursor; nil: the cursor is unknown.
        case done(cursor: String?)
        /// The same for the changes of others; the server refuses the edits of this home, which may only read.
        case received(cursor: String?)
        /// Another process of this home is syncing.
        case busy
        /// It may succeed later, but not before `retryAfter`, if the server has asked for a pause.
        case failed(retryAfter: Duration?)
        /// It fails again until something changes.
        case refused
        /// The user must sign in first.
        case signedOut
    }
}

extension SyncSchedule.Outcome {
    /// Creates the outcome that an error of `SyncEngine.sync` means for the next try.
    init(_ error: any Error) {
        switch error {
        case let failure as SyncFailure: self.init(failure)
        case let error as BackendError: self.init(error)
        case let error as LocalStoreError: self.init(error)
        default: self = .failed(retryAfter: nil)
        }
    }

    private init(_ failure: SyncFailure) {
        switch failure {
        case .noAccount: self = .signedOut
        case .busyElsewhere: self = .busy
        case .digestMismatch: self = .refused
        case .noProgress, .diskFull: self = .failed(retryAfter: nil)
        }
    }

    private init(_ error: BackendError) {
        switch error {
        case .insecureServer, .signedOut, .damagedSession, .tokensLeft: self = .signedOut
        case .incompatible, .unsupported: self = .refused
        // A certificate, a captive portal or a disk can be repaired without a notice to this process, so it tries
        // again.
        case .transport, .malformedAnswer, .credentialStore, .diskFull: self = .failed(retryAfter: nil)
        case .problem(let problem, let retryAfter):
            self = error.isTransient || problem.status == 401 ? .failed(retryAfter: retryAfter) : .refused
        }
    }

    private init(_ error: LocalStoreError) {
        switch error {
        // A keyring may be unlocked later.
        case .busy, .inUse, .diskFull, .unusable, .exposed, .readOnly, .credentialCommand:
            self = .failed(retryAfter: nil)
        case .damaged, .notADirectory, .noFile, .notACache, .replaced, .tooNew, .otherAccount: self = .refused
        }
    }
}
