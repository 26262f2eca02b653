public import ControllerKit

/// A medium that writes the states of all screens as JSON lines. It has no code for single screens.
///
/// It may be attached in addition to another medium, to log what its views show.
@MainActor
public final class JSONLinesViews: ViewFactory {
    /// Writes a line, which is passed without its end.
    public typealias Write = @MainActor (String) async throws -> Void

    /// The current request of the session; nil: there is none.
    var request: RequestUnderWay?
    private var hasEnded = false
    private let write: Write

    /// Creates a medium that writes its lines with `write`.
    public init(write: @escaping Write) { self.write = write }

    public func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        StateView<S> { [weak self] in try await self?.show($0, screen: S.name) }
    }

    /// Sends a state, with the id of the request if its screen performs the request. Other screens change for other
    /// reasons meanwhile.
    private func show(_ state: any ScreenState, screen: String) async throws {
        guard let request, request.screen == screen else { return try await send(.state(nil, screen: screen, state)) }
        self.request?.hasShownScreen = true
        try await send(.state(request.id, screen: screen, state))
    }

    /// Sends an event, unless `end` has been sent.
    func send(_ event: Event) async throws {
        // A rendering or a message that began before `end` may finish after it.
        guard !hasEnded else { return }
        if case .end = event { hasEnded = true }
        try await write(event.text())
    }
}

/// The request that a session performs.
struct RequestUnderWay {
    /// The peer's id of the request; nil: it has none.
    let id: RequestID?
    /// The screen to which the verb belongs.
    let screen: String
    /// Whether a state of that screen has been sent since the request began.
    var hasShownScreen = false
}

private final class StateView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (S.State) async throws -> Void

    init(_ show: @escaping @MainActor (S.State) async throws -> Void) { self.show = show }

    func render(_ state: S.State) async throws { try await show(state) }
}
