import ControllerKit
import CanonicalJSON
import Testing

private let titles = [
    "اشترِ الحليب غداً",
    "לקנות חלב (milk) 2%",
    "Pack 👩‍👩‍👧‍👦 🏳️‍🌈 🇦🇹 👍🏽",
    "Cafe\u{301} ≠ Café",
    "买牛奶 𠜎𠜱",
    #"She said "don't" \ and left"#,
    "100% %s %d $HOME `ls` ; & | > <",
    invisible,
    String(repeating: "word ", count: 500) + "end",
]

private let invisible = "a\u{200B}b\u{200D}\u{FEFF}c"

@MainActor
@Suite("Texts of all kinds are unchanged by commands: stored, synced, shown, exported", .timeLimit(.minutes(5)))
struct TextCommandsTests {
    /// Two devices of an account, without records.
    private struct Pair {
        let laptop: CommandDevice
        let desktop: CommandDevice
    }

    private func pair() async throws -> Pair {
        let account = try SharedServer()
        return Pair(laptop: try await account.device(), desktop: try await account.device())
    }

    /// The fields of a record of the laptop, as the desktop receives them. Both devices then have the same export.
    private func fields(
        of id: String, through pair: Pair, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONObject {
        try await pair.laptop.sync()
        try await pair.desktop.sync()
        try await expectSameExports(pair, sourceLocation: sourceLocation)
        return try await pair.desktop.fields(id)
    }

    private func expectSameExports(_ pair: Pair, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let (first, second) = (try await pair.laptop.run("export").out, try await pair.desktop.run("export").out)
        // Bytes, since `==` of texts ignores a change of their normalisation.
        let isSame = first.utf8.elementsEqual(second.utf8)
        #expect(isSame, sourceLocation: sourceLocation)
    }

    @Test("A title in any script is unchanged on the other device, and is shown", arguments: titles)
    func title(_ title: String) async throws {
        let pair = try await pair()
        let added = try await pair.laptop.run("add", "--json", "--", title).out
        let state = try JSONValue(parsing: added).object
        let id = try #require(state?["changed"]?.array?.first?.string)
        #expect(try await fields(of: id, through: pair)["title"] == JSONValue.string(title))
        // Invisible characters are named where they are shown.
        let shown = title == invisible ? "a‹U+200B›b‹U+200D›‹U+FEFF›c" : String(title.prefix(40))
        let out = try await pair.laptop.run("show", id).out
        let isShown = Array(out.utf8).contains(Array(shown.utf8))
        #expect(isShown, "\(out)")
    }

    @Test("A body of 10,000 lines is unchanged, and is merged by line")
    func longBody() async throws {
        let pair = try await pair()
        let (laptop, desktop) = (pair.laptop, pair.desktop)
        let lines = (0..<10_000).map { "line \($0): ü 👍" }
        let body = { (lines: [String]) in JSONValue.string(lines.map { $0 + "\n" }.joined()) }
        try await laptop.run("note", "Long")
        let id = try await laptop.record("Long").id
        try await laptop.write(id, lines)
        try await laptop.sync()
        try await desktop.sync()
        // Not within `#expect`, which would print the lines.
        let isUnchanged = try await desktop.fields(id)["body"] == body(lines)
        #expect(isUnchanged)
        var (first, last, both) = (lines, lines, lines)
        (first[0], both[0]) = ("first, from the laptop", "first, from the laptop")
        (last[9_999], both[9_999]) = ("last, from the desktop", "last, from the desktop")
        try await laptop.write(id, first)
        try await desktop.write(id, last)
        for device in [laptop, desktop, laptop] { try await device.sync() }
        try await expectSameExports(pair)
        let isMerged = try await laptop.fields(id)["body"] == body(both)
        #expect(isMerged)
    }

    @Test(
        "Line ends, and a missing last one, are unchanged",
        arguments: ["no end", "unix\nend\n", "dos\r\nend\r\n", "\n\n\n", "  spaces  \n\ttab\n"])
    func lineEnds(_ body: String) async throws {
        let pair = try await pair()
        try await pair.laptop.run("note", "Note")
        let id = try await pair.laptop.record("Note").id
        pair.laptop.files["body"] = body
        try await pair.laptop.run("edit", id, "--body-file", "body")
        #expect(try await fields(of: id, through: pair)["body"] == JSONValue.string(body))
    }

    @Test("A search finds words, ignoring accents and case", arguments: ["creme", "BRULEE", "ubermorgen"])
    func search(_ word: String) async throws {
        let device = try await SharedServer().device()
        try await device.run("add", "Crème brûlée für Übermorgen")
        #expect(try await device.run("search", word).out.contains("Crème"))
    }

    @Test("A title of a mebibyte is refused on the device, and the other records are synced")
    func longTitle() async throws {
        let device = try await SharedServer().device()
        try await device.run("add", "Small")
        let refused = try await device.attempt("add", String(repeating: "x", count: 1 << 20))
        #expect(refused.status != .ok)
        let isNamed = refused.err.contains("title")
        #expect(isNamed)
        try await device.sync()
        #expect(try await device.titles() == ["Small"])
    }
}
