internal import SyncAPI

/// What failed attempts are counted for. The store keeps the counts, so that they survive a restart and hold for all
/// processes of one store.
enum ThrottleSubject: Equatable, Sendable {
    /// An account, by its name whether or not it exists, from one address; nil: from all clients that can't be
    /// distinguished.
    case account(String, address: String?)
    /// An account from everywhere. It has an allowance, so that guesses from one address don't keep its owner out.
    case wholeAccount(String)
    /// A device of an account that has proved an earlier session (OWASP's "device cookies"): guesses from elsewhere
    /// aren't counted for it.
    case device(String, account: String)
    /// A signed-in session that confirms its password.
    case session(String)
    /// An address, for log-ins to all accounts.
    case address(String)
    /// The registrations from an address, the successful ones included; nil: from all clients that can't be distinguished.
    case registrations(address: String?)
    /// The wrong invite codes from an address; nil: from all clients that can't be distinguished.
    case invites(address: String?)
    /// The unknown refresh tokens from an address; nil: from all clients that can't be distinguished.
    case refreshes(address: String?)
    /// The wrong one-time codes from all clients that can't be distinguished. Those from an address are counted with its
    /// log-ins.
    case oneTimeCodes

    /// The key in the store. User names, ids and addresses contain no spaces.
    var name: String {
        switch self {
        case .account(let username, let address): "account \(username) from \(address ?? "anywhere")"
        case .wholeAccount(let username): "account \(username)"
        case .device(let id, let account): "device \(id) of \(account)"
        case .session(let id): "session \(id)"
        case .address(let address): "address \(address)"
        case .registrations(let address): "registrations from \(address ?? "anywhere")"
        case .invites(let address): "invites from \(address ?? "anywhere")"
        case .refreshes(let address): "refreshes from \(address ?? "anywhere")"
        case .oneTimeCodes: "one-time codes from anywhere"
        }
    }

    /// Whether it is one count for all clients that can't be distinguished, where one of them could delay the others.
    var isShared: Bool {
        switch self {
        case .account(_, let address): address == nil
        case .registrations(let address), .invites(let address), .refreshes(let address): address == nil
        case .oneTimeCodes: true
        case .wholeAccount, .device, .session, .address: false
        }
    }

    /// Number of attempts that cause no delay.
    var allowance: Int64 {
        switch self {
        case .account, .device, .session: 0
        // SP 800-63B-4 section 3.2.2 allows at most 100 consecutive failures of an account.
        case .wholeAccount: 100
        // Many people may share an address, so a few failures must not lock out the others.
        case .address: 20
        case .registrations(let address), .refreshes(let address): address == nil ? 1_000 : 20
        case .invites(let address): address == nil ? 100 : 5
        case .oneTimeCodes: 100
        }
    }

    /// The name of the account that the attempts were for, if it may not exist; nil: an existing account, or none.
    var username: String? {
        switch self {
        case .account(let username, _), .wholeAccount(let username): username
        case .device, .session, .address, .registrations, .invites, .refreshes, .oneTimeCodes: nil
        }
    }

    /// Returns the importance of this number of attempts.
    ///
    /// - Parameter exists: Whether there is an account of the subject's name.
    func importance(of count: Int64, exists: Bool) -> StoredAttempts.Importance {
        let isDelayed = count > allowance
        return switch self {
        case .account: exists ? .account : .anyone
        case .wholeAccount: !exists ? .anyone : isDelayed ? .delayedWholeAccount : .wholeAccount
        case .device, .session, .oneTimeCodes: .account
        case .registrations, .refreshes, .invites: isShared ? .account : isDelayed ? .delayedAddress : .anyone
        case .address: isDelayed ? .delayedAddress : .anyone
        }
    }

    /// The longest wait, in milliseconds.
    var longestDelay: Int64 {
        switch self {
        case .device, .session, .address: Throttle.longestDelay
        // Short, since other clients cause it: the owner can then still log in at a new device.
        case .wholeAccount: Throttle.longestSharedDelay
        case .account, .invites: isShared ? Throttle.longestSharedDelay : Throttle.longestDelay
        // Delays the wrong ones alone.
        case .oneTimeCodes: Throttle.longestSharedDelay
        // The rate beyond the allowance is one in a second.
        case .registrations, .refreshes: isShared ? 1_000 : Throttle.longestDelay
        }
    }
}

extension ThrottleSubject {
    /// Returns what counts an attempt of a client: its address, and if that isn't known, all clients that can't be
    /// distinguished, since an address that an untrusted proxy claims may be forged.
    static func counting(
        _ client: ClientAddress, _ subject: (_ address: String?) -> ThrottleSubject
    ) -> [ThrottleSubject] {
        let own = client.counted.map { [subject($0)] } ?? []
        return client.known == nil ? own + [subject(nil)] : own
    }

    /// Returns what counts a wrong one-time code of a client. An account isn't among it: a caller who names it could
    /// delay its owner.
    static func codes(of client: ClientAddress) -> [ThrottleSubject] {
        let own = client.counted.map { [ThrottleSubject.address($0)] } ?? []
        return client.known == nil ? own + [.oneTimeCodes] : own
    }
}

/// Throttles attempts: 1 s after the first one that counts, twice as long after each further one.
///
/// The decisions are pure; `admit`, `count` and `clear` apply them in a transaction.
enum Throttle {
    /// The longest wait of most subjects, in milliseconds.
    static let longestDelay: Int64 = 15 * 60_000
    /// The longest wait that other clients can cause, in milliseconds.
    static let longestSharedDelay: Int64 = 60_000
    /// Time after the last attempt of a subject until it is forgotten, in milliseconds.
    static let memory: Int64 = 60 * 60_000
    /// Number of subjects whose attempts are stored. A caller with many addresses can fill them: the least important ones
    /// are removed first (`StoredAttempts.Importance`).
    static let kept = 20_000
    /// Number of subjects that are stored beyond `kept` before some are removed, so that few attempts pay for it.
    static let surplus = 500

    // MARK: Decisions

    /// Returns the wait after this number of attempts that count, in milliseconds: 1 s, 2 s, 4 s, … up to `longest`.
    static func delay(after count: Int64, longest: Int64) -> Int64 {
        // Without the bound of 30, the shift would overflow after some 50 attempts, and there would be no delay any
        // more.
        count < 1 ? 0 : min(1_000 << min(count - 1, 30), longest)
    }

    /// Returns the time until a subject may try again, in milliseconds; 0 or less: now.
    static func wait(_ subject: ThrottleSubject, _ attempts: StoredAttempts?, now: Int64) -> Int64 {
        // At most the longest delay: after the system's clock was set back, the stored time may be far ahead.
        attempts.map { min($0.blockedUntil - now, subject.longestDelay) } ?? 0
    }

    /// Returns the attempts of a subject with one more.
    ///
    /// - Parameter exists: Whether there is an account of the subject's name.
    static func adding(
        to attempts: StoredAttempts?, of subject: ThrottleSubject, exists: Bool = true, now: Int64
    ) -> StoredAttempts {
        let former = attempts.flatMap { $0.last + memory <= now ? nil : $0.count } ?? 0
        let count = former + 1
        let delay = delay(after: count - subject.allowance, longest: subject.longestDelay)
        return StoredAttempts(
            count: count, last: now, blockedUntil: now + delay,
            importance: subject.importance(of: count, exists: exists))
    }

    // MARK: Transactions

    /// Admits an attempt.
    ///
    /// - Throws: `Problem` 429 with the seconds to wait while one of the subjects is blocked.
    static func admit(_ subjects: [ThrottleSubject], now: Int64, _ tx: any StoreReading) throws {
        _ = try admitted(subjects, now: now, tx)
    }

    /// Returns the attempts of the subjects, in their order, if none is blocked.
    private static func admitted(
        _ subjects: [ThrottleSubject], now: Int64, _ tx: any StoreReading
    ) throws -> [StoredAttempts?] {
        let stored = try subjects.map { try tx.attempts(of: $0.name) }
        let waits = zip(subjects, stored).map { wait($0, $1, now: now) }
        if let wait = waits.max(), wait > 0 { throw Problem.rateLimited(seconds: (wait + 999) / 1_000) }
        return stored
    }

    /// Counts an attempt, unless another one blocked a subject meanwhile: of many guesses sent at once, only one is
    /// answered.
    ///
    /// The cost doesn't depend on the number of stored subjects.
    ///
    /// - Throws: `Problem` 429 if one of the subjects is blocked now.
    static func count(_ subjects: [ThrottleSubject], now: Int64, _ tx: any StoreWriting) throws {
        let stored = try admitted(subjects, now: now, tx)
        for (subject, attempts) in zip(subjects, stored) {
            let exists = try subject.username.map { try tx.account(username: $0) != nil } ?? true
            try tx.put(adding(to: attempts, of: subject, exists: exists, now: now), of: subject.name)
        }
        try tx.trimAttempts(to: kept, surplus: surplus, forgottenBefore: now - memory)
    }

    /// Records a success, which clears the attempts of one subject, unless a failure blocked one of the subjects
    /// meanwhile: otherwise, of many guesses sent at once, the right one would be recognised by its answer.
    ///
    /// - Throws: `Problem` 429 if one of the subjects is blocked now.
    static func clear(_ subjects: ThrottleSubjects, now: Int64, _ tx: any StoreWriting) throws {
        try admit(subjects.all, now: now, tx)
        if try tx.attempts(of: subjects.cleared.name) != nil { try tx.deleteAttempts(of: subjects.cleared.name) }
    }
}

/// The subjects of an attempt to give a password.
struct ThrottleSubjects: Equatable, Sendable {
    /// Those that count a failure, and that may not be blocked.
    let all: [ThrottleSubject]
    /// The one that a success clears. The others stay counted: otherwise an attacker could reset the count of an address
    /// by logging in to an account of its own, and the count of an account when its owner logs in.
    let cleared: ThrottleSubject

    /// The subjects of a log-in.
    ///
    /// - Parameters:
    ///   - username: The name in the request, whether or not there is an account.
    ///   - device: The id of a device that has proved an earlier session of this account; nil: none has.
    ///   - isFamiliar: Whether a signed-in device of the account has used the address (`FamiliarAddresses`): guesses from
    ///     other addresses don't delay it, and its own are still counted strictly.
    static func logIn(
        _ username: String, from address: ClientAddress, device: String?, isFamiliar: Bool = false
    ) -> ThrottleSubjects {
        if let device {
            let subject = ThrottleSubject.device(device, account: username)
            return ThrottleSubjects(all: [subject], cleared: subject)
        }
        let pair = ThrottleSubject.account(username, address: address.counted)
        let known = address.known.map { [ThrottleSubject.address($0.subscriber)] } ?? []
        let whole = isFamiliar ? [] : [ThrottleSubject.wholeAccount(username)]
        return ThrottleSubjects(all: [pair] + whole + known, cleared: pair)
    }

    /// The subject of a session that confirms its password: guesses from outside can't prevent it.
    static func session(_ id: String) -> ThrottleSubjects {
        ThrottleSubjects(all: [.session(id)], cleared: .session(id))
    }
}
