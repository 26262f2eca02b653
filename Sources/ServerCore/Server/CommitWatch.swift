/// Notices commits of other processes, such as the commands of the server's owner: event streams then check whether
/// their sessions still exist and their accounts are enabled. If the store reports what other processes have done, only
/// the streams that it concerns are notified.
///
/// Requests need no notice: each reads its session and its account.
struct CommitWatch: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let events: EventHub

    /// Time between two looks. A stream of a revoked device ends within about this time.
    static let interval: Duration = .seconds(1)

    /// Receives the store's news, or looks every second, until the task is cancelled.
    func run() async {
        if let receiving = store.receiveNews({ [events] in events.received($0) }) {
            // The sleep fails only if the task is cancelled, which ends the loop.
            while !Task.isCancelled { try? await environment.sleep(MaintenanceService.interval) }
            return withExtendedLifetime(receiving) {}
        }
        var known: Int64?
        while !Task.isCancelled {
            known = await look(known)
            // The sleep fails only if the task is cancelled, which ends the loop.
            try? await environment.sleep(Self.interval)
        }
    }

    /// Notifies the streams if there was a commit since `known`.
    ///
    /// - Returns: The number of the present commits; the known one if the store fails.
    func look(_ known: Int64?) async -> Int64? {
        // Without streams there is nothing to notify: one that opens later reads its session itself.
        guard events.count > 0 else { return nil }
        do {
            let present = try await store.foreignCommits()
            // Also the first time: a stream may have opened before a commit that the first look already includes.
            if present == nil || present != known { events.recheckAll() }
            return present
        } catch {
            // The next look repeats it. Requests report a store that fails.
            return known
        }
    }
}
