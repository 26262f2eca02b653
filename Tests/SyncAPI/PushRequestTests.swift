import Records
import SyncAPI
import Testing

@Suite("The form of a push request")
struct PushRequestTests {
    private static func pointers(_ body: String) -> [String] {
        do {
            _ = try PushRequest(checking: JSONValue(parsing: body))
            return []
        } catch let problem as Problem {
            return problem.extensions["errors"]?.array?.compactMap { $0.object?["pointer"]?.string } ?? []
        } catch {
            return ["\(error)"]
        }
    }

    private static func mutation(_ members: String) -> String {
        #"{"mutations":[{"collection":"tasks","id":"a",\#(members)}]}"#
    }

    @Test(arguments: [
        ("7", [""]), ("{}", ["/mutations"]), (#"{"mutations":{}}"#, ["/mutations"]),
        (#"{"mutations":[1]}"#, ["/mutations/0"]), (#"{"since":1,"mutations":[]}"#, ["/since"]),
        (#"{"mutations":[{"base":0,"delete":true}]}"#, ["/mutations/0/collection", "/mutations/0/id"]),
        (mutation(#""delete":true"#), ["/mutations/0/base"]),
        (mutation(#""base":-1,"delete":true"#), ["/mutations/0/base"]),
        (mutation(#""base":0.5,"delete":true"#), ["/mutations/0/base"]),
        (mutation(#""base":0,"delete":false"#), ["/mutations/0/delete"]),
        (mutation(#""base":0"#), ["/mutations/0"]),
        (mutation(#""base":0,"set":{},"delete":true"#), ["/mutations/0"]),
        (mutation(#""base":0,"set":[]"#), ["/mutations/0/set"]),
        (mutation(#""base":0,"at":"yesterday","set":{}"#), ["/mutations/0/at", "/mutations/0/at"]),
        (mutation(#""base":0,"clock":{"a":1},"delete":true"#), ["/mutations/0/clock"]),
        (mutation(#""base":0,"set":{}"#), ["/mutations/0/at"]),
        (mutation(#""base":0,"clock":{"t":"000000000001-0000-d"},"set":{"t":1}"#), ["/mutations/0/at"]),
        (mutation(#""base":1,"clock":{"t":"000000000001-0000-d"},"set":{"u":1}"#), ["/mutations/0/at"]),
        (mutation(#""base":1,"delete":true"#), ["/since"]),
    ])
    func aWrongShapeIsReportedWithItsPlace(_ body: String, _ pointers: [String]) {
        #expect(Self.pointers(body) == pointers)
    }

    @Test func aRecordOccursOnce() {
        let one = #"{"collection":"tasks","id":"a","base":0,"delete":true}"#
        #expect(Self.pointers(#"{"mutations":[\#(one),\#(one)]}"#) == ["/mutations"])
    }

    @Test func thereAreAtMostAThousandMutations() {
        func body(_ count: Int) -> String {
            let mutations = (0..<count).map { #"{"collection":"tasks","id":"r\#($0)","base":0,"delete":true}"# }
            return #"{"mutations":[\#(mutations.joined(separator: ","))]}"#
        }
        #expect(Self.pointers(body(1_000)).isEmpty)
        #expect(Self.pointers(body(1_001)) == ["/mutations"])
    }

    @Test func aMergedRecordSendsItsClocksInsteadOfOne() throws {
        let body =
            #"{"since":"c","mutations":[{"collection":"tasks","id":"a","base":3,"#
            + #""clock":{"t":"000000000001-0000-d"},"set":{"t":1}}]}"#
        let request = try PushRequest(checking: JSONValue(parsing: body))
        #expect(request.mutations.first?.at == nil)
        #expect(request.mutations.first?.clock?["t"] == HLC(milliseconds: 1, device: "d"))
    }

    @Test func errorsAreBounded() {
        let body = #"{"mutations":[\#(Array(repeating: "1", count: 500).joined(separator: ","))]}"#
        #expect(Self.pointers(body).count == 20)
    }
}
