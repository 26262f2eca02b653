public import ControllerKit

/// Shows the states of all screens as JSON lines. There is no code per screen.
///
/// It may be attached beside another medium's views, to follow what happens there.
@MainActor
public final class JSONLinesViews: ViewFactory {
    /// Writes a line, which comes without its end.
    public typealias Write = @MainActor (String) async throws -> Void

    /// The request under way in the session, if one is.
    var request: RequestID?
    /// The screens shown since the request began.
    var shown: Set<String> = []
    private let write: Write

    /// Views that write their lines with `write`.
    public init(write: @escaping Write) { self.write = write }

    public func makeView<S: Screen>(for screen: S.Type) -> any View<S> {
        StateView<S> { [weak self] in try await self?.show($0, screen: S.name) }
    }

    func show(_ state: any ScreenState, screen: String) async throws {
        shown.insert(screen)
        try await send(.state(request, screen: screen, state))
    }

    func send(_ event: Event) async throws { try await write(event.text()) }
}

private final class StateView<S: Screen>: View {
    typealias Screen = S
    private let show: @MainActor (S.State) async throws -> Void

    init(_ show: @escaping @MainActor (S.State) async throws -> Void) { self.show = show }

    func render(_ state: S.State) async throws { try await show(state) }
}
