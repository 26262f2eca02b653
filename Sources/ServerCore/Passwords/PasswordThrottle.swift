internal import SyncAPI

/// Throttles wrong passwords: 1 s after the first failure that counts, twice as long after each further one.
///
/// Failures are kept in memory, for a bounded number of names. A restart forgets them.
actor PasswordThrottle {
    /// The longest wait, in milliseconds.
    static let longestDelay: Int64 = 15 * 60_000
    /// Time after the last failure of a name until it is forgotten, in milliseconds.
    static let memory: Int64 = 60 * 60_000

    /// What failures are counted for: an account, a session or an address.
    struct Name: Hashable, Sendable {
        let text: String
        /// Number of failures that cause no delay.
        let allowance: Int

        static func account(_ username: String) -> Name { Name(text: "account \(username)", allowance: 0) }
        static func session(_ id: String) -> Name { Name(text: "session \(id)", allowance: 0) }
        /// Many people may share an address, so a few failures must not lock out the others.
        static func address(_ address: IPAddress) -> Name {
            Name(text: "address \(address.subscriber)", allowance: 20)
        }
    }

    private let bound: Int
    private var failures: [Name: Failure] = [:]

    private struct Failure {
        var count: Int
        var last: Int64

        func blockedUntil(allowance: Int) -> Int64 { last + PasswordThrottle.delay(afterFailures: count - allowance) }
        func isForgotten(now: Int64) -> Bool { last + PasswordThrottle.memory <= now }
    }

    /// - Parameter bound: The number of names whose failures are remembered.
    init(bound: Int = 10_000) { self.bound = bound }

    /// Returns the wait after this number of failures in a row, in milliseconds: 1 s, 2 s, 4 s, … up to `longestDelay`.
    static func delay(afterFailures count: Int) -> Int64 {
        // Without the bound of 30, the shift would overflow after some 50 failures, and there would be no delay any
        // more.
        count < 1 ? 0 : min(1_000 << Int64(min(count - 1, 30)), longestDelay)
    }

    /// Admits an attempt.
    ///
    /// - Throws: `Problem` 429 with the seconds to wait while one of the names is blocked.
    func admit(_ names: [Name], now: Int64) throws(Problem) {
        // A failure that was forgotten needs no check here: `memory` is longer than `longestDelay`.
        let blockedUntil = names.compactMap { failures[$0]?.blockedUntil(allowance: $0.allowance) }.max() ?? 0
        if blockedUntil > now { throw .rateLimited(seconds: (blockedUntil - now + 999) / 1_000) }
    }

    /// Records a failure, unless another one blocked the names meanwhile: of many guesses sent at once, only one is
    /// answered.
    ///
    /// - Throws: `Problem` 429 if one of the names is blocked now.
    func failed(_ names: [Name], now: Int64) throws(Problem) {
        try admit(names, now: now)
        forget(now: now)
        for name in names {
            let before = failures[name].flatMap { $0.isForgotten(now: now) ? nil : $0.count } ?? 0
            failures[name] = Failure(count: before + 1, last: now)
        }
    }

    /// Records a success, which clears `name`, unless a failure blocked one of the names meanwhile.
    ///
    /// - Throws: `Problem` 429 if one of the names is blocked now.
    func succeeded(_ names: [Name], clearing name: Name, now: Int64) throws(Problem) {
        // Checked again: otherwise, of many guesses sent at once, the right one would be recognised by its answer.
        try admit(names, now: now)
        // The address stays counted: otherwise an attacker could reset its count by logging in to an account of its
        // own.
        failures[name] = nil
    }

    private func forget(now: Int64) {
        // An attacker can invent names without limit. Those that are forgotten go first, then those of the oldest
        // failures.
        guard failures.count >= bound else { return }
        failures = failures.filter { !$0.value.isForgotten(now: now) }
        while failures.count >= bound, let oldest = failures.min(by: { $0.value.last < $1.value.last }) {
            failures[oldest.key] = nil
        }
    }
}
