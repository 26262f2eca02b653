import ControllerKit
import Foundation
import Testing

@Suite("The JSON Schema of a state")
struct StateSchemaTests {
    private func text(_ type: any Decodable.Type) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(StateSchema(of: type)), as: UTF8.self)
    }

    private struct Shop: Codable {
        struct Shelf: Codable {
            var width: Double
            var books: [String]
        }
        enum Kind: String, Codable, CaseIterable { case new, used }
        var shelves: [Shelf]
        var kind: Kind
        var prices: [String: Int]?
        var since: Date
        var link: URL?
        var main: Shelf?
        var open = false
        var floors: UInt8
        var gaps: [Int?]
    }

    @Test("It has the members with their types and says which are required")
    func members() throws {
        let shelf = """
            {"properties":{"books":{"items":{"type":"string"},"type":"array"},"width":{"type":"number"}},\
            "required":["width","books"],"type":"object"}
            """
        #expect(
            try text(Shop.self) == """
                {"properties":{"floors":{"type":"integer"},\
                "gaps":{"items":{"anyOf":[{"type":"integer"},{"type":"null"}]},"type":"array"},\
                "kind":{"enum":["new","used"],"type":"string"},"link":{"format":"uri-reference","type":"string"},\
                "main":\(shelf),"open":{"type":"boolean"},\
                "prices":{"additionalProperties":{"type":"integer"},"type":"object"},\
                "shelves":{"items":\(shelf),"type":"array"},"since":{"format":"date-time","type":"string"}},\
                "required":["shelves","kind","since","open","floors","gaps"],"type":"object"}
                """)
    }

    private struct Folder: Codable {
        var name: String
        var folders: [Folder]
    }

    private struct Desk: Codable { var top: Folder }

    @Test("A recursive type is a definition")
    func recursive() throws {
        #expect(
            try text(Desk.self) == """
                {"$defs":{"Folder":{"properties":{"folders":{"items":{"$ref":"#/$defs/Folder"},"type":"array"},\
                "name":{"type":"string"}},"required":["name","folders"],"type":"object"}},\
                "properties":{"top":{"$ref":"#/$defs/Folder"}},"required":["top"],"type":"object"}
                """)
    }

    private struct Wrapped: Decodable {
        let text: String
        init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    }

    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            while !elements.isAtEnd { _ = try elements.decode(Int.self) }
        }
    }

    private struct Nested: Decodable {
        private enum Key: CodingKey { case inner, size, pair }
        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: Key.self)
            _ = try outer.nestedContainer(keyedBy: Key.self, forKey: .inner).decode(Wrapped.self, forKey: .size)
            _ = try outer.decode(Pair.self, forKey: .pair)
        }
    }

    @Test("Custom decoding is supported, too")
    func byHand() throws {
        #expect(
            try text(Nested.self) == """
                {"properties":{"inner":{"properties":{"size":{"type":"string"}},"required":["size"],"type":"object"},\
                "pair":{"items":{"type":"integer"},"type":"array"}},"required":["inner","pair"],"type":"object"}
                """)
    }

    private enum Shape: Codable { case circle(Double), point }
    private enum Colour: String, Codable { case red }

    @Test("An unsupported type is reported, not guessed")
    func refused() {
        #expect(throws: StateSchemaError.self) { try StateSchema(of: Shape.self) }
        #expect(throws: StateSchemaError.self) { try StateSchema(of: Colour.self) }
    }
}
