/// News that wait to be sent to other processes, as few as possible: of a space only the newest version. A pure value.
package struct PendingNews: Sendable {
    private var versions: [String: Int64] = [:]
    private var accounts: Set<String> = []
    private var isAnything = false

    /// More than this many become `StoreNews.anything`, so that what waits for a lost connection is bounded.
    package static let limit = 10_000

    package init() {}

    package var isEmpty: Bool { versions.isEmpty && accounts.isEmpty && !isAnything }

    package mutating func add(_ news: StoreNews) {
        switch news {
        case .changed(let space, let version): versions[space] = max(versions[space] ?? 0, version)
        case .recheck(let account): accounts.insert(account)
        case .anything: isAnything = true
        }
        guard versions.count + accounts.count > Self.limit else { return }
        self = PendingNews()
        isAnything = true
    }

    /// The news, in the order of their accounts and spaces.
    package var all: [StoreNews] {
        (isAnything ? [.anything] : []) + accounts.sorted().map { .recheck(account: $0) }
            + versions.sorted { $0.key < $1.key }.map { .changed(space: $0.key, version: $0.value) }
    }
}
