internal import ControllerKit
internal import WebPageView

// What a browser sends to the page: addresses, and forms of every kind of field.
extension FuzzTarget {
    static let page = [
        FuzzTarget(text: "page-form") { text in
            if let address = PageAddress(text) {
                try expect(PageAddress(address.text) == address, "an address is read as another: \(address.text)")
                // Otherwise a redirect to it could have further headers, or lead elsewhere.
                try expect(
                    address.text.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F } && !address.text.hasPrefix("//"),
                    "an address isn't a path: \(address.text)")
            }
            guard let parameters = Parameters(encoded: text) else { return }
            let written = parameters.encoded
            try expect(Parameters(encoded: written) == parameters, "a form is read as another: \(written)")
            let screens = try forms.get().screens
            for verb in screens.flatMap(\.verbs) { try check(FormReading(parameters, for: verb), of: verb) }
            let command: SelectionCommand
            do throws(Failure) { command = try SelectionCommand(parameters, in: screens) } catch {
                return try expect(!error.message.isEmpty, "a failure without a message")
            }
            try expect(!command.values.isEmpty, "a command for no records")
            try expect(
                parameters["verb"] == "\(command.screen)/\(command.verb.name)", "another command than that of the form")
        }
    ]

    private static func check(_ reading: FormReading, of verb: VerbSignature) throws {
        switch reading {
        case .errors(let errors):
            try expect(!errors.isEmpty, "a form is refused without a reason")
            for (field, error) in errors {
                try expect(verb.arguments.contains { $0.name == field }, "an error of another form's field \(field)")
                try expect(!error.isEmpty, "an error without a message")
            }
        case .values(let values):
            for spec in verb.arguments where spec.isRequired {
                try expect(values[spec.name] != nil, "the argument \(spec.name) is missing")
            }
            let names = Set(verb.arguments.map(\.name))
            try expect(names.isSuperset(of: values.keys), "a form has arguments that the verb doesn't have")
        }
    }

    /// A catalogue with a field of each kind.
    @MainActor private static let forms = Result {
        try Catalog([.screen(FormScreen.self) { _ in FormController() }])
    }
}

private enum FormScreen: Screen {
    static let name = "form"
    static let summary = "A form."
    struct State: ScreenState { var isOpen = false }
    enum Intent: Sendable {
        case note([String], Bool)
        case measure(Int, Double?)
        case keep(String, String?)
        case mark([String])
        case lock(String)
    }
    static let verbs: [Verb<Intent>] = [
        Verb("note", .rest(.text("words")), .flag("loud"), answer: .notice, help: "Note it.") { .note($0, $1) },
        Verb("measure", .integer("count"), .optional(.number("size")), help: "Measure it.") { .measure($0, $1) },
        Verb("keep", .choice("kind", ["all", "none"]), .option(.contents("body")), help: "Keep it.") { .keep($0, $1) },
        Verb("mark", .rest(.record("records"), isRequired: true), answer: .notice, help: "Mark them.") { .mark($0) },
        Verb("lock", .secret("code", isNew: true), answer: .notice, help: "Lock it.") { .lock($0) },
    ]
}

private final class FormController: Controller {
    typealias Screen = FormScreen
    let model = Model(FormScreen.State())
    func handle(_ intent: FormScreen.Intent) async throws {}
}
