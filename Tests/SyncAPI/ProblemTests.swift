import Records
import SyncAPI
import Testing

@Suite("Problems on the wire")
struct ProblemTests {
    @Test("a problem comes back from its text, extensions and codes that aren't known included")
    func roundTrip() throws {
        let problem = Problem(
            status: 410, code: Problem.Code(rawValue: "new-one"), title: "Gone", detail: "Read again.", requestID: "r1",
            extensions: ["shared": 17, "errors": [["pointer": "/a", "detail": "b"]]])
        #expect(Problem(json: try JSONValue(parsing: problem.json.text), status: 410) == problem)
    }

    @Test("what a server leaves out is filled in from the status")
    func bare() throws {
        for text in ["{}", "[]", "null", #"{"code":5}"#] {
            let problem = Problem(json: try JSONValue(parsing: text), status: 502)
            #expect(problem.status == 502)
            #expect(problem.code.rawValue == "http-502")
            #expect(!problem.title.isEmpty)
            #expect(problem.detail == nil)
        }
    }

    @Test("an extension can't pass for a member of the problem")
    func overriding() {
        let problem = Problem(status: 404, code: .notFound, title: "t", extensions: ["status": 200, "code": "x"])
        #expect(problem.json.object?["status"] == 404)
        #expect(problem.json.object?["code"] == "not-found")
    }
}
