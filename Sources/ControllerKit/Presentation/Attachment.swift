/// A view that is attached to a presentation, until it is detached or its medium fails.
@MainActor
public final class Attachment<S: Screen> {
    let view: any View<S>
    private let model: Model<S.State>
    private let failed: @MainActor (Attachment, any Error) -> Void
    private lazy var pump = Pump { [weak self] in await self?.render() }

    init(_ view: any View<S>, _ model: Model<S.State>, failed: @escaping @MainActor (Attachment, any Error) -> Void) {
        self.view = view
        self.model = model
        self.failed = failed
    }

    /// Has the view shown the present state soon: after a change, or because its size changed.
    public func setNeedsRender() { pump.request() }

    /// Returns when the view has been shown the state of now, or a later one.
    func catchUp() async { await pump.catchUp() }

    /// Stops rendering permanently, and notifies the view.
    func end() {
        pump.stop()
        view.detached()
    }

    private func render() async {
        do {
            try await Rendering.$isUnderWay.withValue(true) { try await view.render(model.state) }
        } catch {
            if !Task.isCancelled { failed(self, error) }
        }
    }
}

/// Whether the current task renders: a rendering that sends an intent would feed back on itself.
enum Rendering {
    @TaskLocal static var isUnderWay = false
}
