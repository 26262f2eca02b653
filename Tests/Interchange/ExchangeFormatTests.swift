import Interchange
import Testing

@Suite("Which format a file has")
struct ExchangeFormatTests {
    @Test(
        "The end of its name tells; a name without one, or with another, tells nothing",
        arguments: [
            ("backup.json", .satchel), ("a.b/tasks.TXT", .todotxt), ("tasks.csv", .csv), ("one.md", .markdown),
            ("notes/", .markdown), ("json", nil), ("folder.csv/json", nil), ("tasks.", nil), ("tasks.ods", nil),
            ("", nil),
        ] as [(String, ExchangeFormat?)])
    func byPath(path: String, format: ExchangeFormat?) { #expect(ExchangeFormat(path: path) == format) }

    @Test(
        "The text tells where it can be nothing else; any text could be todo.txt",
        arguments: [
            (#"{"format": "satchel", "version": 1, "records": []}"#, .satchel), ("[]", .taskwarrior),
            ("Buy milk +shop", nil), ("", nil),
        ] as [(String, ExchangeFormat?)])
    func byText(text: String, format: ExchangeFormat?) { #expect(ExchangeFormat(recognising: text) == format) }
}
