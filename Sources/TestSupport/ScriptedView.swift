public import ControllerKit
public import Testing

/// A view for tests: it keeps the states that it is shown, sends intents as a person would, and reports as a test's
/// issue whatever it was shown that the test didn't expect.
///
///     let view = ScriptedView<SquareScreen>()
///     presentation.attach(view)
///     try await view.send(.move(x: 9, y: 9)) { $0.x = 9; $0.y = 9; $0.isValid = false }
///     await view.expectNothingElse()
@MainActor
public final class ScriptedView<Screen: ControllerKit.Screen>: View {
    /// All states shown so far, in order.
    public private(set) var shown: [Screen.State] = []
    /// How often it was attached, and detached.
    public private(set) var attachments = 0, detachments = 0
    /// Whether its screen is in front of the session, at each change.
    public private(set) var fronts: [Bool] = []
    /// Thrown by the next renderings, as a broken medium would; nil is a medium in order.
    public var brokenMedium: (any Error)?

    private var delegate: ViewDelegate<Screen>?
    /// How many of the states shown the test has accounted for.
    private var expected = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// A view that is not attached yet.
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

    /// Sends an intent and accepts all states that are shown until it is done.
    ///
    /// - Throws: What the controller throws, or `Failure` when the view isn't attached.
    public func send(_ intent: Screen.Intent) async throws {
        guard let delegate else { throw Failure(.failed, "The view is not attached.") }
        defer { expected = shown.count }
        try await delegate.send(intent)
    }

    /// Sends an intent and expects the last state before it, changed like this, to be shown at the end.
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

    /// Waits until a state is shown that the test hasn't accounted for and that fits; accepts those before.
    ///
    /// The bound is the test's own time limit, which cancels it: then the wait is an issue, and the last state returned.
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
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiters.append($0) }
            } onCancel: {
                Task { @MainActor in self.wake() }
            }
        }
    }

    /// Reports states that were shown and that no `send` or `next` accounted for.
    public func expectNothingElse(sourceLocation: SourceLocation = #_sourceLocation) {
        for state in shown[expected...] {
            Issue.record("A state was shown that was not expected: \(state)", sourceLocation: sourceLocation)
        }
        expected = shown.count
    }
}

/// A factory of scripted views; a test finds the last view of each screen in it.
@MainActor
public final class ScriptedViews: ViewFactory {
    private var views: [String: AnyObject] = [:]

    /// A factory that has made nothing yet.
    public init() {}

    public func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        let view = ScriptedView<S>()
        views[S.name] = view
        return view
    }

    /// The last view made for a screen.
    public func view<S: Screen>(of screen: S.Type) -> ScriptedView<S>? { views[S.name] as? ScriptedView<S> }
}

extension ScriptedView {
    /// What differs between the expected state and the one that was shown: a line for each value, after its path.
    func difference(from wanted: Screen.State, to shown: Screen.State) -> String {
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
    /// The texts of the outline by their paths, such as `rows.1.title`.
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
