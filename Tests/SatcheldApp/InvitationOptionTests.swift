import ArgumentParser
import Testing

@testable import SatcheldApp

/// The limits of an invitation, as SyncAPI.docc/Protocol.md, "Limits", names them.
@Suite struct InvitationOptionTests {
    @Test(
        arguments: [
            ["--uses", "1"], ["--uses", "10000"], ["--expires", "1m"], ["--expires", "365d"],
            ["--note", String(repeating: "n", count: 200)],
        ])
    func aLimitItselfIsAccepted(_ words: [String]) throws {
        _ = try Invite.Add.parse(words)
    }

    @Test(
        arguments: [
            (["--uses", "0"], "--uses is 0; it should be 1 to 10000"),
            (["--uses", "10001"], "--uses is 10001; it should be 1 to 10000"),
            // A minute is the smallest unit, so this is the largest time below one.
            (["--expires", "0m"], "0m"),
            (["--expires", "366d"], "--expires is 366d; it should be from 1m to 365d"),
            (["--expires", "525601m"], "it should be from 1m to 365d"),
            (["--note", String(repeating: "n", count: 201)], "--note should be one line of at most 200 bytes"),
            // 101 characters, and 202 bytes.
            (["--note", String(repeating: "é", count: 101)], "--note should be one line of at most 200 bytes"),
        ] as [([String], String)])
    func aValueBeyondALimitIsRefused(_ words: [String], _ message: String) {
        let error = #expect(throws: (any Error).self) { try Invite.Add.parse(words) }
        #expect(error.map { Invite.Add.message(for: $0).contains(message) } == true)
    }
}
