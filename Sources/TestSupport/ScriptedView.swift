public import ControllerKit
public import Testing

/// A view for tests: it records the states that it is shown, sends intents, and reports unexpected states as issues of
/// the test.
///
///     let view = ScriptedView<SquareScreen>()
///     presentation.attach(view)
///     try await view.send(.move(x: 9, y: 9)) { $0.x = 9; $0.y = 9; $0.isValid = false }
///     await view.expectNothingElse()
@MainActor
public final class ScriptedView<Screen: ControllerKit.Screen>: View {
    /// All states shown so far, in order.
    public private(set) var shown: [Screen.State] = []
    /// The number of times that it was attached and detached.
    public private(set) var attachments = 0, detachments = 0
    /// Whether its screen was in front of the session, at each change.
    public private(set) var fronts: [Bool] = []
    /// The error that rendering throws, as with a broken medium; nil: it works.
    public var brokenMedium: (any Error)?

    private var delegate: ViewDelegate<Screen>?
    /// The number of shown states that the test has accounted for.
    private var expected = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a view that isn't attached.
    public init() {}

    public func attached(to delegate: ViewDelegate<Screen>) {
        attachments += 1
        self.delegate = delegate
    }

    public func detached() {
        detachments += 1
        delegate = nil
    }

    public func frontChanged(isInFront: Bool) { fronts.append(isInFront) }

    public func render(_ state: Screen.State) async throws {
        if let brokenMedium { throw brokenMedium }
        shown.append(state)
        wake()
    }

    private func wake() {
        let resumed = waiters
        waiters = []
        for waiter in resumed { waiter.resume() }
    }

    /// Sends an intent, and accepts all states that are shown until it is done.
    ///
    /// - Throws: The error of the controller, or `Failure` if the view isn't attached.
    public func send(_ intent: Screen.Intent) async throws {
        guard let delegate else { throw Failure(.failed, "The view is not attached.") }
        defer { expected = shown.count }
        try await delegate.send(intent)
    }

    /// Sends an intent, and expects that the last state shown is the one before with this change.
    public func send(
        _ intent: Screen.Intent, sourceLocation: SourceLocation = #_sourceLocation,
        expecting change: (inout Screen.State) throws -> Void
    ) async throws {
        var wanted = try #require(shown.last, "nothing was shown yet", sourceLocation: sourceLocation)
        try change(&wanted)
        try await send(intent)
        guard let last = shown.last, last != wanted else { return }
        Issue.record("\(difference(from: wanted, to: last))", sourceLocation: sourceLocation)
    }

    /// Waits for a state that the test hasn't accounted for and that fits. Earlier states are accepted.
    ///
    /// The time limit of the test cancels the wait. That is an issue, and the last state is returned.
    @discardableResult
    public func next(where fits: (Screen.State) -> Bool = { _ in true }) async -> Screen.State {
        while true {
            if let index = shown[expected...].firstIndex(where: fits) {
                expected = index + 1
                return shown[index]
            }
            if Task.isCancelled, let last = shown.last {
                Issue.record("A state that fits was never shown; the last one was: \(last)")
                return last
            }
            // Between the check above and the wait no state can be shown, since both run on the main actor.
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiters.append($0) }
            } onCancel: {
                // The handler is called on any thread.
                Task { @MainActor in self.wake() }
            }
        }
    }

    /// Reports the states that no `send` or `next` has accounted for.
    public func expectNothingElse(sourceLocation: SourceLocation = #_sourceLocation) {
        for state in shown[expected...] {
            Issue.record("A state was shown that was not expected: \(state)", sourceLocation: sourceLocation)
        }
        // Each state is reported once.
        expected = shown.count
    }
}

/// A factory of scripted views that keeps the last view of each screen.
@MainActor
public final class ScriptedViews: ViewFactory {
    private var views: [String: AnyObject] = [:]

    /// Creates a factory without views.
    public init() {}

    public func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        let view = ScriptedView<S>()
        views[S.name] = view
        return view
    }

    /// Returns the last view of a screen.
    public func view<S: Screen>(of screen: S.Type) -> ScriptedView<S>? { views[S.name] as? ScriptedView<S> }
}

extension ScriptedView {
    /// Returns the differences between the expected state and the one that was shown: a line for each value with its
    /// path.
    func difference(from wanted: Screen.State, to shown: Screen.State) -> String {
        // A state that can't be outlined is shown as a whole.
        guard let expected = try? Outline(wanted).values(), let actual = try? Outline(shown).values() else {
            return "expected \(wanted), shown \(shown)"
        }
        let lines = Set(expected.keys).union(actual.keys).sorted().compactMap { path -> String? in
            let (one, other) = (expected[path], actual[path])
            guard one != other else { return nil }
            return
                "  \(path): expected \(one.map { "“\($0)”" } ?? "nothing"), shown \(other.map { "“\($0)”" } ?? "nothing")"
        }
        return "“\(Screen.name)” shows another state than expected:\n" + lines.joined(separator: "\n")
    }
}

extension Outline {
    /// Returns the texts of the outline by their paths, such as `rows.1.title`.
    fileprivate func values(at path: String = "") -> [String: String] {
        let inside = path.isEmpty ? "" : path + "."
        return switch self {
        case .nothing: [:]
        case .text(let text): [path: text]
        case .list(let elements):
            zip(1..., elements).reduce(into: [:]) { $0.merge($1.1.values(at: inside + String($1.0))) { $1 } }
        case .members(let members):
            members.reduce(into: [:]) { $0.merge($1.value.values(at: inside + $1.name)) { $1 } }
        }
    }
}
