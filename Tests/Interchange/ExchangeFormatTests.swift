import Interchange
import Testing

@Suite("The format of a file")
struct ExchangeFormatTests {
    @Test(
        "The extension decides; a name without one or with another one leaves it unknown",
        arguments: [
            ("backup.json", .satchel), ("a.b/tasks.TXT", .todotxt), ("tasks.csv", .csv), ("one.md", .markdown),
            ("notes/", .markdown), ("json", nil), ("folder.csv/json", nil), ("tasks.", nil), ("tasks.ods", nil),
            ("", nil),
        ] as [(String, ExchangeFormat?)])
    func byPath(path: String, format: ExchangeFormat?) { #expect(ExchangeFormat(path: path) == format) }

    @Test(
        "Unambiguous contents decide; any text could be todo.txt",
        arguments: [
            (#"{"format": "satchel", "version": 1, "records": []}"#, .satchel), ("[]", .taskwarrior),
            ("\u{FEFF} {\"records\": [1], \"format\": \"satchel\"}", .satchel), (#"{"a.md": "A"}"#, .markdown),
            // The rest of Satchel's own format isn't parsed.
            ("\u{FEFF}\n{ \"format\" : \"satchel\", \"records\": [{", .satchel),
            (#"{"version": 1, "records": [{"#, .satchel), (#"{"format": "other"}"#, .satchel), ("{}", nil),
            ("{\"uuid\": \"1\"}\n{\"uuid\": ", .taskwarrior),
            (#"{"records": []}"#, .taskwarrior), ("{\"uuid\": \"1\"}\n{\"uuid\": \"2\"}", .taskwarrior),
            ("Buy milk +shop", nil), ("", nil),
            ("(A) Buy milk satchel:1/2\n2026-11-22 Bread satchel:2/3\n", .todotxt), ("Milk satchel:1/2\nBread\n", nil),
        ] as [(String, ExchangeFormat?)])
    func byText(text: String, format: ExchangeFormat?) { #expect(ExchangeFormat(recognising: text) == format) }
}
