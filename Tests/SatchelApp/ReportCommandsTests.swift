import CanonicalJSON
import ControllerKit
import Testing

@MainActor
@Suite("Reports and contexts by commands", .timeLimit(.minutes(5)))
struct ReportCommandsTests {
    private func filled() async throws -> CommandDevice {
        let device = try CommandDevice.alone()
        try await device.run("add", "Paint", "project:house", "+out", "due:yesterday")
        try await device.run("add", "Mow", "project:house.garden", "due:tomorrow")
        try await device.run("add", "Buy milk")
        return device
    }

    @Test("Each report has lines, JSON and fields")
    func reports() async throws {
        let device = try await filled()
        #expect(try await device.run("count").out == "3\n")
        #expect(try await device.run("count", "overdue", "--plain").out == "1\n")
        #expect(try await device.run("projects", "--plain").out == "house\t2\t0\t0\nhouse.garden\t1\t0\t0\n\t1\t0\t0\n")
        #expect(try await device.run("tags", "--plain").out == "out\t1\t0\t0\n\t2\t0\t0\n")
        #expect(try await device.run("summary", "--plain").out.hasPrefix("house\t2\t0\t1\t0\n"))
        #expect(try await device.state("stats", "--weeks", "2")["weeks"]?.array?.count == 2)
        #expect(try await device.attempt("stats", "--weeks", "0").status == .usage)
        let agenda = try await device.run("agenda").out
        #expect(agenda.contains("Overdue (1)") && agenda.contains("Tomorrow (1)") && !agenda.contains("Buy milk"))
        #expect(try await device.run("done", "1").err.contains("Paint"))
        #expect(try await device.state("agenda", "month")["span"]?.string == "month")
    }

    @Test("A context applies to lists and new records until another one does")
    func context() async throws {
        let device = try await filled()
        #expect(try await device.run("context").out.contains("No contexts."))
        try await device.run("context", "define", "house", "project:house")
        #expect(try await device.run("context", "house").err.contains("lists show project:house"))
        let list = try await device.run("list").out
        #expect(list.hasPrefix("Context house: project:house\n") && !list.contains("Buy milk"))
        #expect(try await device.state("count")["count"]?.integer == 2)
        try await device.run("add", "Sweep")
        #expect(try await device.record("Sweep").fields["project"]?.string == "house")
        #expect(try await device.run("contexts", "--plain").out == "house\tproject:house\tcurrent\n")
        try await device.run("undo")
        #expect(try await device.run("context", "none").err.contains("No context"))
        #expect(try await device.run("list").out.contains("Buy milk"))
        try await device.run("context", "delete", "house")
        #expect(try await device.attempt("context", "house").status == .notFound)
        for words in [["define"], ["define", "x"], ["delete"], ["x", "y"], ["define", "list", "+a"]] {
            #expect(try await device.attempt(["context"] + words).status == .usage, "\(words)")
        }
    }
}
