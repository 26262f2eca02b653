import ControllerKit
import Foundation
import Terminal
import Testing

@testable import LineView

@Suite("Any state as plain text")
struct OutlineTests {
    private struct Everything: Encodable {
        struct Part: Encodable { var name: String; var size: Double? }
        enum Kind: String, Encodable { case big }
        var positionIsValid = true
        var count = 3
        var ratio = 0.5
        var kind = Kind.big
        var absent: Int?
        var at = Date(timeIntervalSince1970: 0)
        var tags = ["a", "b"]
        var none: [String] = []
        var part = Part(name: "one", size: 2)
        var parts = [Part(name: "first", size: nil), Part(name: "second", size: 2)]
        var byName = ["z": 1, "a": 2]
        var text = "line one\nline two"
    }

    @Test("Members in the order of declaration, lists as tables, nested ones indented, absent ones omitted")
    func everything() throws {
        #expect(
            try Outline(Everything()).lines(on: LinePage()) == [
                "position is valid: yes", "count: 3", "ratio: 0.5", "kind: big", "at: 1970-01-01T00:00:00Z",
                "tags: a, b", "none: ", "part:", "  name: one", "  size: 2", "parts:", "  name    size", "  first",
                "  second  2", "by name:", "  a: 2", "  z: 1", "text:", "  line one", "  line two",
            ])
    }

    @Test("Texts from outside are escaped")
    func harmless() throws {
        #expect(try Outline(["k\u{1B}": "v\u{1B}[2J"]).lines(on: LinePage()) == ["k␛: v␛[2J"])
    }
}
