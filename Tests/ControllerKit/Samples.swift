import ControllerKit

/// A screen with a counter, the simplest one whose controller does something over time.
enum CounterScreen: Screen {
    static let name = "counter"
    static let summary = "A counter."

    struct State: ScreenState {
        var count = 0
        var notice: String?
    }

    enum Intent: Sendable {
        case add(Int), burst(Int), show, fail
        case hand(String)
    }

    static let verbs: [Verb<Intent>] = [
        Verb("count", help: "Show the counter.") { Intent.show },
        Verb("plus", .integer("amount"), answer: .notice, help: "Add to the counter.") { Intent.add($0) },
        Verb("fail", answer: .notice, help: "Fail.") { Intent.fail },
    ]

    typealias Parameter = Int
    typealias Outcome = String
}

@MainActor
final class CounterController: Controller {
    typealias Screen = CounterScreen
    let model: Model<CounterScreen.State>
    /// The value of the services, read again by `refresh`.
    var stored = 0
    var refreshes = 0
    var events: [LifecycleEvent] = []
    private let finish: @MainActor (String) -> Void

    init(_ count: Int = 0, finish: @escaping @MainActor (String) -> Void = { _ in }) {
        model = Model(CounterScreen.State(count: count))
        self.finish = finish
    }

    func handle(_ intent: CounterScreen.Intent) async throws {
        switch intent {
        case .add(let amount):
            state.count += amount
            state.notice = "Added \(amount)."
        case .burst(let times): for _ in 0..<times { state.count += 1 }
        case .show: state.notice = nil
        case .fail:
            state.count = -1
            throw Failure(.conflict, "It failed.")
        case .hand(let outcome): finish(outcome)
        }
    }

    func refresh() async throws {
        refreshes += 1
        state.count = stored
    }

    func didLoad() { events.append(.didLoad) }
    func willAppear() { events.append(.willAppear) }
    func didAppear() { events.append(.didAppear) }
    func willDisappear() { events.append(.willDisappear) }
    func didDisappear() { events.append(.didDisappear) }
    func didUnload() { events.append(.didUnload) }
}

/// A screen with a place, the simplest one with typed arguments.
enum PointScreen: Screen {
    static let name = "point"
    static let summary = "A place."

    struct State: ScreenState {
        var x = 5.0
        var y = 5.0
    }

    enum Intent: Sendable { case move(x: Double, y: Double), restore }

    static let verbs = [
        Verb("move", .number("x"), .number("y"), help: "Go there.") { Intent.move(x: $0, y: $1) },
        Verb("restore", help: "Go back.") { Intent.restore },
    ]
}

final class PointController: Controller {
    typealias Screen = PointScreen
    let model = Model(PointScreen.State())

    func handle(_ intent: PointScreen.Intent) async throws {
        switch intent {
        case .move(let x, let y): state = PointScreen.State(x: x, y: y)
        case .restore: state = PointScreen.State()
        }
    }
}

/// A gate that work waits at until it is opened or cancelled. It reports waiting work and cancellations.
@MainActor
final class Gate {
    private var isOpen = false
    private(set) var wasCancelled = false
    private var waiting: CheckedContinuation<Void, Never>?
    private var watchers: [CheckedContinuation<Void, Never>] = []

    func pass() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation {
                if isOpen || Task.isCancelled { return $0.resume() }
                waiting = $0
                wakeWatchers()
            }
        } onCancel: {
            Task { @MainActor in self.open() }
        }
        if Task.isCancelled {
            wasCancelled = true
            wakeWatchers()
        }
        try Task.checkCancellation()
    }

    func open() {
        isOpen = true
        waiting?.resume()
        waiting = nil
    }

    func untilWorkWaits() async { while waiting == nil { await change() } }
    func untilCancelled() async { while !wasCancelled { await change() } }

    private func change() async { await withCheckedContinuation { watchers.append($0) } }

    private func wakeWatchers() {
        let woken = watchers
        watchers = []
        for watcher in woken { watcher.resume() }
    }
}
