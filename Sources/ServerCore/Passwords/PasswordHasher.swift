internal import CArgon2
internal import SyncAPI

/// The requester of a password hash: the key by which hashes wait their turn and are limited.
enum HashRequester: FairQueueKey, Sendable {
    /// All requests from one address, see `IPAddress.subscriber`.
    case subscriber(String)
    /// All requests for one user name, if the address is shared by clients that can't be distinguished. `claimed` is
    /// the address that an untrusted proxy names.
    case username(String, claimed: String?)
    /// A session that confirms its password.
    case session(String)

    init(_ address: ClientAddress, username: String) {
        self =
            address.known.map { .subscriber($0.subscriber) }
            ?? .username(username, claimed: address.claimed?.subscriber)
    }

    /// Groups requesters by the claimed address, not by user name: a client behind an untrusted one can name any number
    /// of users, but the proxy adds the address itself.
    var crowd: String {
        switch self {
        case .subscriber(let address): "address \(address)"
        case .username(_, let claimed): "claimed \(claimed ?? "")"
        case .session(let id): "session \(id)"
        }
    }
}

/// Hashes and checks passwords with argon2id on threads of its own, for each requester in turn.
final class PasswordHasher: Sendable {
    private let cost: PasswordCost
    private let pool: ThreadPool<HashRequester>?

    /// Number of hashes of one requester that may wait or run, so that the guesses of one requester can't fill the
    /// queue.
    static let perRequester = 4
    /// Number of hashes that may wait in all: about 6 s of work for two threads at the default cost.
    static let waiting = 128
    /// The niceness of the threads: with it, they have a third of the weight of the others on a busy processor
    /// (`sched_prio_to_weight` of Linux), so that log-ins delay other requests less. With 10, a flood of reads left few log-ins.
    private static let niceness: Int32 = 5
    private let randomBytes: @Sendable (Int) -> [UInt8]

    /// - Parameter threads: The number of threads; 0 hashes on the calling thread.
    init(cost: PasswordCost, threads: Int, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.cost = cost
        self.randomBytes = randomBytes
        pool =
            threads > 0
            ? ThreadPool(threads: threads, perKey: Self.perRequester, limit: Self.waiting, niceness: Self.niceness)
            : nil
    }

    /// The result of a check.
    enum Verdict: Sendable, Equatable {
        case wrong
        /// Right; `needsRehash` if the stored hash was made at a lower cost than the present one.
        case right(needsRehash: Bool)
    }

    /// Returns the hash with salt and parameters, in the PHC string format.
    ///
    /// - Throws: `QueueRefusal`, `Argon2Error`.
    func hash(_ password: Password, for requester: HashRequester) async throws -> String {
        // 128 bits, the recommended size (RFC 9106 section 4).
        let salt = randomBytes(16)
        return try await run(for: requester) { [cost] in try Argon2.hash(password.bytes, salt: salt, cost: cost) }
    }

    /// Checks a password. Without a hash (`StoredAccount.noPassword`) or a possible password, the result is `wrong`.
    ///
    /// The time shows neither whether there is an account nor when its hash was made: each check costs what a hash of the
    /// present cost does. Only hashes of a higher cost than the present one take longer.
    ///
    /// - Throws: `QueueRefusal`, `Argon2Error`.
    func verify(
        _ password: Password?, against encoded: String?, for requester: HashRequester
    ) async throws -> Verdict {
        guard let password, let encoded, let former = Argon2.cost(of: encoded) else {
            try await spend(cost, for: requester)
            return .wrong
        }
        return try await run(for: requester) { [self] in
            guard try Argon2.verify(password.bytes, encoded) else {
                if let rest = cost.rest(after: former) { try spend(rest) }
                return .wrong
            }
            return .right(needsRehash: former.isBelow(cost))
        }
    }

    private func spend(_ cost: PasswordCost, for requester: HashRequester) async throws {
        try await run(for: requester) { [self] in try spend(cost) }
    }

    /// Computes a hash and drops it.
    private func spend(_ cost: PasswordCost) throws {
        _ = try Argon2.hash(Array(repeating: 0, count: 8), salt: randomBytes(16), cost: cost)
    }

    /// Refuses the waiting hashes. Running ones are finished, and later ones are accepted.
    func refuseWaiting() { pool?.refuseWaiting() }

    private func run<Result: Sendable>(
        for requester: HashRequester, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard let pool else { return try work() }
        return try await pool.run(for: requester, work)
    }
}

extension PasswordCost {
    /// Returns whether any parameter is lower than in `other`.
    fileprivate func isBelow(_ other: PasswordCost) -> Bool {
        memory < other.memory || iterations < other.iterations || parallelism < other.parallelism
    }

    /// Returns the cost of a hash that takes the time by which this cost exceeds another one; nil if it doesn't.
    ///
    /// The time of argon2 is proportional to the number of blocks that it fills: memory times passes.
    func rest(after other: PasswordCost) -> PasswordCost? {
        let difference = Int64(memory) * Int64(iterations) - Int64(other.memory) * Int64(other.iterations)
        let (passes, lanes) = (Int64(iterations), Int64(parallelism))
        guard difference > 0, passes > 0 else { return nil }
        // At least what the algorithm requires (RFC 9106 section 3.1).
        let memory = max(difference / passes, 8 * lanes)
        return PasswordCost(memory: UInt32(clamping: memory), iterations: iterations, parallelism: parallelism)
    }
}

/// An error of libargon2. With valid parameters, lack of memory is the only cause.
struct Argon2Error: Error {
    let code: Int32
}

/// The functions of libargon2 that are used. Blocking: 50 to 100 ms at the default cost.
private enum Argon2 {
    // 256 bits, the recommended size (RFC 9106 section 4).
    private static let hashLength = 32

    static func hash(_ password: [UInt8], salt: [UInt8], cost: PasswordCost) throws -> String {
        let length = argon2_encodedlen(
            cost.iterations, cost.memory, cost.parallelism, UInt32(salt.count), UInt32(hashLength), Argon2_id)
        var encoded = [CChar](repeating: 0, count: length)
        let code = argon2id_hash_encoded(
            cost.iterations, cost.memory, cost.parallelism, password, password.count, salt, salt.count, hashLength,
            &encoded, length)
        guard code == ARGON2_OK.rawValue else { throw Argon2Error(code: code) }
        return String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns whether a password has this hash. Compares in constant time.
    ///
    /// - Throws: `Argon2Error` for lack of memory or threads, which must not count as a wrong password.
    static func verify(_ password: [UInt8], _ encoded: String) throws -> Bool {
        let code = argon2id_verify(encoded, password, password.count)
        if code == ARGON2_MEMORY_ALLOCATION_ERROR.rawValue || code == ARGON2_THREAD_FAIL.rawValue {
            throw Argon2Error(code: code)
        }
        return code == ARGON2_OK.rawValue
    }

    /// Returns the parameters of `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`; nil for another form.
    static func cost(of encoded: String) -> PasswordCost? {
        // The empty part before the first `$` is omitted by `split`.
        let parts = encoded.split(separator: "$")
        guard parts.count == 5 else { return nil }
        let values = parts[2].split(separator: ",").compactMap { UInt32($0.dropFirst(2)) }
        guard values.count == 3 else { return nil }
        return PasswordCost(memory: values[0], iterations: values[1], parallelism: values[2])
    }
}
