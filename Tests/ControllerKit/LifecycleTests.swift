import ControllerKit
import Testing

@MainActor
@Suite("C Lifecycle")
struct LifecycleTests {
    private final class Observer: LifecycleObserver {
        let notify: (LifecycleEvent) -> Void
        init(_ notify: @escaping (LifecycleEvent) -> Void) { self.notify = notify }
        func willAppear() { notify(.willAppear) }
    }

    @Test("C2 did load, will and did appear, will and did disappear, did unload; the middle may repeat")
    func events() {
        let controller = CounterController()
        let presentation = Presentation(controller) { Issue.record($0) }
        presentation.appear()
        presentation.disappear()
        presentation.appear()
        presentation.unload()
        presentation.unload()
        let shown: [LifecycleEvent] = [.willAppear, .didAppear, .willDisappear, .didDisappear]
        #expect(controller.events == [.didLoad] + shown + shown + [.didUnload])
    }

    @Test("C4 each callback is optional: a controller that implements none of them works")
    func optional() async throws {
        final class SilentController: Controller {
            typealias Screen = CounterScreen
            let model = Model(CounterScreen.State())
            func handle(_ intent: CounterScreen.Intent) async throws { state.count += 1 }
        }
        let controller = SilentController()
        let presentation = Presentation(controller) { Issue.record($0) }
        presentation.appear()
        try await presentation.send(.show)
        presentation.disappear()
        presentation.unload()
        #expect(controller.state.count == 1)
    }

    @Test("C3 observers are notified once each in order of registration, however often they register")
    func observers() {
        var notified: [String] = []
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        let first = Observer { _ in notified.append("first") }
        let second = Observer { _ in notified.append("second") }
        for observer in [first, second, first] { presentation.lifecycle.add(observer) }
        presentation.appear()
        #expect(notified == ["first", "second"])
        presentation.lifecycle.remove(first)
        presentation.disappear()
        presentation.appear()
        #expect(notified == ["first", "second", "second"])
    }

    @Test("C3 an observer is not retained")
    func weakObservers() {
        weak var observer: Observer?
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        do {
            let registered = Observer { _ in Issue.record("notified after its end") }
            observer = registered
            presentation.lifecycle.add(registered)
        }
        #expect(observer == nil)
        presentation.appear()
    }

    @Test("E2 a one-shot observer is notified of the next such event only")
    func oneShot() {
        var count = 0
        let presentation = Presentation(CounterController()) { Issue.record($0) }
        presentation.lifecycle.once(.didAppear) { count += 1 }
        presentation.load()
        #expect(count == 0)
        presentation.appear()
        presentation.disappear()
        presentation.appear()
        #expect(count == 1)
    }

    @Test("E3 a controller without any view has the same lifecycle: a background service")
    func background() async throws {
        let controller = CounterController()
        let presentation = Presentation(controller) { Issue.record($0) }
        try await presentation.send(.add(1))
        #expect(controller.events == [.didLoad])
        #expect(presentation.state.count == 1)
    }
}
