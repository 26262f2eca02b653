internal import SyncAPI

/// Throttles wrong passwords: 1 s after the first failure that counts, twice as long after each further one.
///
/// Kept in memory and bounded; a restart forgets it, which costs an attacker a restart each time.
actor Attempts {
    /// The longest wait, in milliseconds.
    static let longestDelay: Int64 = 15 * 60_000
    /// How long after its last failure a name is forgotten, in milliseconds.
    static let memory: Int64 = 60 * 60_000

    /// What failures are counted for.
    struct Name: Hashable, Sendable {
        let text: String
        /// How many failures cause no delay.
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

        func blockedUntil(allowance: Int) -> Int64 { last + Attempts.delay(afterFailures: count - allowance) }
        func isForgotten(now: Int64) -> Bool { last + Attempts.memory <= now }
    }

    /// - Parameter bound: of how many names failures are remembered.
    init(bound: Int = 10_000) { self.bound = bound }

    /// The wait after this number of failures in a row, in milliseconds: 1 s, 2 s, 4 s, … up to `longestDelay`.
    static func delay(afterFailures count: Int) -> Int64 {
        count < 1 ? 0 : min(1_000 << Int64(min(count - 1, 30)), longestDelay)
    }

    /// Lets an attempt through, or refuses it.
    ///
    /// - Throws: `Problem` 429 with the seconds to wait while one of the names is blocked.
    func admit(_ names: [Name], now: Int64) throws(Problem) {
        let blockedUntil = names.compactMap { failures[$0]?.blockedUntil(allowance: $0.allowance) }.max() ?? 0
        if blockedUntil > now { throw .rateLimited(seconds: (blockedUntil - now + 999) / 1_000) }
    }

    /// Records a failure, unless another one blocked the names meanwhile: of many guesses sent at once, only
    /// one is answered.
    func failed(_ names: [Name], now: Int64) throws(Problem) {
        try admit(names, now: now)
        forget(now: now)
        for name in names {
            let before = failures[name].flatMap { $0.isForgotten(now: now) ? nil : $0.count } ?? 0
            failures[name] = Failure(count: before + 1, last: now)
        }
    }

    /// Records a success, which clears `name`, unless a failure blocked one of the names meanwhile.
    func succeeded(_ names: [Name], clearing name: Name, now: Int64) throws(Problem) {
        try admit(names, now: now)
        failures[name] = nil
    }

    private func forget(now: Int64) {
        guard failures.count >= bound else { return }
        failures = failures.filter { !$0.value.isForgotten(now: now) }
        while failures.count >= bound, let oldest = failures.min(by: { $0.value.last < $1.value.last }) {
            failures[oldest.key] = nil
        }
    }
}
