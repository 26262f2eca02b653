internal import NIOConcurrencyHelpers
internal import SyncAPI

/// The addresses from which signed-in devices have sent requests. A new device of an owner at one of them, at home for
/// example, can log in while guesses from elsewhere delay the account as a whole.
///
/// In memory only: no address is stored, and devices that sync are known again soon after a restart. An attacker at such
/// an address gains nothing by it, since guesses from one address at one account are counted strictly.
final class FamiliarAddresses: Sendable {
    /// Number of addresses of an account; the last ones are kept.
    static let perAccount = 8
    /// Number of accounts. Beyond it all are forgotten, and noted again with their next requests.
    static let accounts = 20_000

    /// The addresses of each account, the last one first, see `IPAddress.subscriber`.
    private let known = NIOLockedValueBox<[String: [String]]>([:])

    /// Notes the address of a request.
    ///
    /// - Parameter address: The client's address; nil if it is shared by clients that can't be distinguished.
    func note(_ address: IPAddress?, of caller: Caller) {
        // An app password may be in a script on a machine of others.
        guard let subscriber = address?.subscriber, caller.scope == nil else { return }
        known.withLockedValue { known in
            let former = known[caller.account] ?? []
            if former.first == subscriber { return }
            if former.isEmpty, known.count >= Self.accounts { known = [:] }
            known[caller.account] = Array(([subscriber] + former.filter { $0 != subscriber }).prefix(Self.perAccount))
        }
    }

    /// Returns whether a signed-in device of an account has used an address.
    func contains(_ address: IPAddress?, of account: String) -> Bool {
        guard let subscriber = address?.subscriber else { return false }
        return known.withLockedValue { $0[account]?.contains(subscriber) ?? false }
    }
}
