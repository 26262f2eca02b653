import SyncAPI
import Testing

@Suite struct UsernameTests {
    @Test(arguments: ["anna", "a", "a.b_c-d", "0x", String(repeating: "a", count: 64)])
    func aUserNameIsTaken(_ text: String) {
        #expect(Username(text)?.text == text)
    }

    @Test(arguments: ["", ".a", "-a", "a b", "ä", "a/b", String(repeating: "a", count: 65)])
    func anotherUserNameIsNot(_ text: String) {
        #expect(Username(text) == nil)
    }

    @Test func capitalsInAUserNameAreTakenForSmallLetters() {
        #expect(Username("Anna.B")?.text == "anna.b")
    }

    @Test func twoWaysToWriteANameAreOneAccount() {
        #expect(Username.folded("Anna") == Username.folded("aNNa"))
        #expect(Username.folded("\u{212A}") == "\u{212A}", "a sign that only looks like a letter stays")
    }
}
