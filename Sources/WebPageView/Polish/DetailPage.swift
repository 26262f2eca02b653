internal import ControllerKit
internal import Controllers

extension WebPolish {
    /// One record.
    static let detail = WebPolish(
        DetailScreen.self, title: "Record",
        reading: { parameters in
            parameters["record"].map { PageReading(verb: "show", values: ["record": .text($0)]) }
        }, content: { _, _ in nil })
}
