public import ControllerKit

/// Shows the states of all screens as JSON lines. There is no code per screen.
///
/// It may be attached in addition to another medium's views, to log what they show.
@MainActor
public final class JSONLinesViews: ViewFactory {
    /// Writes a line, which comes without its end.
    public typealias Write = @MainActor (String) async throws -> Void

    /// The request under way in the session, if one is.
    var request: RequestUnderWay?
    private var hasEnded = false
    private let write: Write

    /// Views that write their lines with `write`.
    public init(write: @escaping Write) { self.write = write }

    public func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        StateView<S> { [weak self] in try await self?.show($0, screen: S.name) }
    }

    /// Sends a state: as one of the request's, if it is of the screen whose verb was performed. Other screens change
    /// in the meantime for other reasons.
    private func show(_ state: any ScreenState, screen: String) async throws {
        guard let request, request.screen == screen else { return try await send(.state(nil, screen: screen, state)) }
        self.request?.hasShownScreen = true
        try await send(.state(request.id, screen: screen, state))
    }

    /// Sends an event, unless the last one has been sent.
    func send(_ event: Event) async throws {
        guard !hasEnded else { return }
        if case .end = event { hasEnded = true }
        try await write(event.text())
    }
}

/// What a session is carrying out.
struct RequestUnderWay {
    /// How the peer names it, if it does.
    let id: RequestID?
    /// The screen whose verb was said.
    let screen: String
    /// Whether a state of that screen has gone out since.
    var hasShownScreen = false
}

private final class StateView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (S.State) async throws -> Void

    init(_ show: @escaping @MainActor (S.State) async throws -> Void) { self.show = show }

    func render(_ state: S.State) async throws { try await show(state) }
}
