public import ControllerKit
internal import LocalStore
internal import Records

/// Lists conflicts and settles them.
public final class ConflictsController: Controller {
    public typealias Screen = ConflictsScreen
    public let model = Model(ConflictsScreen.State())
    private let services: Services
    /// What is shown; nil before the first list.
    private var shown: Inbox.Shown?
    /// The devices whose names the server was asked for, once each.
    private var askedFor: Set<String> = []

    /// Takes its services.
    public init(_ services: Services) { self.services = services }

    /// How many conflicts a state holds at most.
    public nonisolated static let windowSize = 200

    public func didLoad() { notifyingOfChanges(in: services.store) }

    public func handle(_ intent: ConflictsScreen.Intent) async throws {
        state.notice = nil
        state.draft = nil
        switch intent {
        case .list(let settled): try await list(settled: settled)
        case .show(let reference): try await show(reference)
        case .resolve(let reference, let choice, let value, let revive):
            try await resolve(reference, choice, value: value, revive: revive)
            try await refresh()
        }
    }

    public func refresh() async throws {
        guard let shown else { return }
        let inbox = try await services.store.read { try Inbox($0, shown) }
        // Another list may have been asked for meanwhile; its rows are newer.
        if shown == self.shown { take(inbox) }
    }

    /// Conflicts have a numbered list of their own.
    private var listing: String { services.terminal + "#conflicts" }

    private func list(settled: Bool) async throws {
        let listing = listing
        let (shown, inbox) = try await services.store.view { cache in
            try cache.forgetOldConflicts()
            if settled { try cache.sawSettledConflicts() }
            let ids = try Inbox.ids(cache, settled: settled).prefix(Self.windowSize)
            try cache.remember(ids.map(ConflictRecord.key), terminal: listing)
            let shown = Inbox.Shown(ids: zip(1..., ids).map { .init(number: $0, id: $1) }, areSettled: settled)
            return (shown, try Inbox(cache, shown))
        }
        self.shown = shown
        take(inbox)
    }

    private func show(_ reference: String) async throws {
        let listing = listing
        let (shown, inbox) = try await services.store.view { cache in
            let found = try cache.conflict(reference, listing: listing)
            let key = found.conflict.key
            if try !cache.listing(terminal: listing).contains(key) { try cache.remember([key], terminal: listing) }
            let number = try cache.listing(terminal: listing).firstIndex(of: key) ?? 0
            let shown = Inbox.Shown(
                ids: [.init(number: number + 1, id: key.id)], areSettled: found.isSettled, isWhole: true)
            return (shown, try Inbox(cache, shown))
        }
        self.shown = shown
        take(inbox)
    }

    private func take(_ inbox: Inbox) {
        (state.rows, state.total) = (inbox.rows, inbox.total)
        (state.areSettled, state.isWhole) = (shown?.areSettled ?? false, shown?.isWhole ?? false)
        let unheard = Set(
            inbox.rows.flatMap { [$0.earlier, $0.later] }.filter { !$0.isMine && $0.deviceName == nil }
                .compactMap(\.device)
        ).subtracting(askedFor)
        guard !unheard.isEmpty else { return }
        askedFor.formUnion(unheard)
        // Nobody waits for it: what it brings is written to the cache, and shown then.
        run { [services] in await services.learnDeviceNames() }
    }

    private func resolve(
        _ reference: String, _ choice: ConflictsScreen.Choice, value: String?, revive: Bool
    ) async throws {
        let (listing, dates, now) = (listing, services.dates, services.timestamp)
        guard choice == .edit || value == nil else {
            throw Failure(.usage, "A value goes with `edit` alone: `resolve \(reference) edit --value-file FILE`.")
        }
        let outcome = try await services.store.command("resolve") { cache -> Resolved in
            let found = try cache.conflict(reference, listing: listing)
            if choice == .edit, value == nil { return .needsText(try cache.draft(of: found.conflict)) }
            let decision = try cache.decision(choice, typed: value, on: found.conflict, dates: dates)
            try cache.settle(found, decision, revive: revive, now: now)
            return .settled(
                title: try cache.title(of: found.conflict.record), wasSettled: found.isSettled,
                isReplaced: decision.replacesMerged(found.conflict.conflict))
        }
        switch outcome {
        case .settled(let title, let wasSettled, let isReplaced):
            let whole =
                " The text had changed since the merge, so the whole of it was replaced; `undo` restores it."
            state.notice =
                (wasSettled ? "Chosen again: “\(title)”." : "Settled: “\(title)”.") + (isReplaced ? whole : "")
        case .needsText(let draft):
            state.draft = draft
            throw Failure(
                .usage,
                "The text is missing: give it with --value-file FILE (- is the standard input), or at a terminal edit it in "
                    + "your editor.")
        }
    }

    private enum Resolved: Sendable {
        case settled(title: String, wasSettled: Bool, isReplaced: Bool)
        case needsText(ConflictsScreen.State.Draft)
    }
}
