internal import CArgon2
internal import SyncAPI

/// The requester of a password hash: the key by which hashes are queued in turn and bounded.
enum HashRequester: FairQueueKey, Sendable {
    /// All requests from one address, see `IPAddress.subscriber`.
    case subscriber(String)
    /// All requests for one user name, if the address is shared by clients that can't be distinguished. `claimed` is the
    /// address that an unknown proxy names.
    case username(String, claimed: String?)
    /// A session that proves its password once more.
    case session(String)

    init(_ address: ClientAddress, username: String) {
        self =
            address.known.map { .subscriber($0.subscriber) }
            ?? .username(username, claimed: address.claimed?.subscriber)
    }

    /// A client behind an unknown proxy can name as many users as it likes, but the proxy adds the address itself.
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

    /// How many hashes of one requester may wait or run, so that one requester's guesses can't fill the queue.
    static let perRequester = 4
    /// How many hashes may wait in all: about 4 s of work for two threads at the cost that OWASP recommends.
    static let waiting = 256
    private let randomBytes: @Sendable (Int) -> [UInt8]

    /// - Parameter threads: how many; 0 hashes where it is asked for.
    init(cost: PasswordCost, threads: Int, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.cost = cost
        self.randomBytes = randomBytes
        pool = threads > 0 ? ThreadPool(threads: threads, perKey: Self.perRequester, limit: Self.waiting) : nil
    }

    /// What a check found.
    enum Verdict: Sendable, Equatable {
        case wrong
        /// Right; `needsRehash` when the stored hash was made at a lower cost than today's.
        case right(needsRehash: Bool)
    }

    /// The hash with salt and parameters, in the PHC string format.
    ///
    /// - Throws: `QueueRefusal`, `Argon2Error`.
    func hash(_ password: Password, for requester: HashRequester) async throws -> String {
        let salt = randomBytes(16)
        return try await run(for: requester) { [cost] in try Argon2.hash(password.bytes, salt: salt, cost: cost) }
    }

    /// Checks a password. Where there is no hash or no possible password, it takes the same time and is wrong.
    ///
    /// - Throws: `QueueRefusal`, `Argon2Error`.
    func verify(
        _ password: Password?, against encoded: String?, for requester: HashRequester
    ) async throws -> Verdict {
        guard let password, let encoded else {
            let bytes = password?.bytes ?? Array(repeating: 0, count: 8)
            let salt = randomBytes(16)
            _ = try await run(for: requester) { [cost] in try Argon2.hash(bytes, salt: salt, cost: cost) }
            return .wrong
        }
        return try await run(for: requester) { [cost] in
            guard Argon2.verify(password.bytes, encoded) else { return .wrong }
            return .right(needsRehash: Argon2.cost(of: encoded).map { $0.isBelow(cost) } ?? true)
        }
    }

    /// Refuses the hashes that wait; those that are being computed are finished. Later ones are accepted.
    func refuseWaiting() { pool?.refuseWaiting() }

    private func run<Result: Sendable>(
        for requester: HashRequester, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard let pool else { return try work() }
        return try await pool.run(for: requester, work)
    }
}

extension PasswordCost {
    /// Whether any parameter is lower than in `other`.
    fileprivate func isBelow(_ other: PasswordCost) -> Bool {
        memory < other.memory || iterations < other.iterations || parallelism < other.parallelism
    }
}

/// libargon2 refused; only out of memory can make it do so.
struct Argon2Error: Error {
    let code: Int32
}

/// libargon2, as far as it is needed. Blocking: tens of milliseconds at OWASP's cost.
private enum Argon2 {
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

    /// Compares in constant time.
    static func verify(_ password: [UInt8], _ encoded: String) -> Bool {
        argon2id_verify(encoded, password, password.count) == ARGON2_OK.rawValue
    }

    /// The parameters in `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
    static func cost(of encoded: String) -> PasswordCost? {
        let parts = encoded.split(separator: "$")
        guard parts.count == 5 else { return nil }
        let values = parts[2].split(separator: ",").compactMap { UInt32($0.dropFirst(2)) }
        guard values.count == 3 else { return nil }
        return PasswordCost(memory: values[0], iterations: values[1], parallelism: values[2])
    }
}
