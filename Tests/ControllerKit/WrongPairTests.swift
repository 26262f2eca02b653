import Testing

@Suite("B2 B3 B4 A9 The compiler checks the pair")
struct WrongPairTests {
    private static let pair = """
        import ControllerKit
        enum One: Screen {
            struct State: ScreenState {}
            enum Intent: Sendable { case go }
            static let name = "one", summary = "", verbs: [Verb<Intent>] = []
        }
        enum Other: Screen {
            struct State: ScreenState {}
            enum Intent: Sendable { case go }
            static let name = "other", summary = "", verbs: [Verb<Intent>] = []
        }
        final class OneController: Controller {
            typealias Screen = One
            let model = Model(One.State())
            func handle(_ intent: One.Intent) async throws {}
        }
        final class ViewOf<S: Screen>: View {
            typealias Screen = S
            func render(_ state: S.State) async throws {}
        }
        @MainActor func pair() {
            let presentation = Presentation(OneController()) { _ in }
            presentation.attach(ViewOf<ATTACHED>())
        }
        """

    @Test("A view of the controller's screen compiles")
    func rightPair() async throws {
        let errors = try await Compiler.errors(in: Self.pair.replacing("ATTACHED", with: "One"))
        #expect(errors == "")
    }

    @Test("A view of another screen does not compile")
    func wrongPair() async throws {
        let errors = try await Compiler.errors(in: Self.pair.replacing("ATTACHED", with: "Other"))
        #expect(errors.contains("error: "))
        #expect(errors.contains("ViewOf<Other>"))
    }

    @Test("C14 state and intents are typed: a view can't send its delegate the intent of another screen")
    func wrongIntent() async throws {
        let send =
            "@MainActor func say(_ intent: Other.Intent, to delegate: ViewDelegate<One>) async throws "
            + "{ try await delegate.send(intent) }"
        let errors = try await Compiler.errors(in: Self.pair.replacing("ATTACHED", with: "One") + send)
        #expect(errors.contains("cannot convert value of type 'Other.Intent' to expected argument type 'One.Intent'"))
    }

    @Test("B4 a view's implementation can't be accessed through it")
    func hiddenControls() async throws {
        let look = "@MainActor func look(at view: any View<One>) { print(view.label) }"
        let errors = try await Compiler.errors(in: Self.pair.replacing("ATTACHED", with: "One") + look)
        #expect(errors.contains("has no member 'label'"))
    }
}
