import Testing

@testable import Records

@Suite("Short ids")
struct ShortIDTests {
    @Test("A UUID is shown in letters without hyphens; any other id is unchanged")
    func whole() {
        #expect(ShortID.whole("01234567-89ab-4def-8123-456789abcdef") == "zyxwvutsrqpovmlkryxwvutsrqponmlk")
        for id in ["groceries", "3f2a", "3F2A10C4-89AB-4DEF-8123-456789ABCDEF", ""] { #expect(ShortID.whole(id) == id) }
    }

    @Test("Letters mean the beginning of a UUID with its hyphens, in either case")
    func letters() {
        #expect(ShortID.idPrefix(of: "wkxp") == "3f2a")
        #expect(ShortID.idPrefix(of: "WKXP") == "3f2a")
        #expect(ShortID.idPrefix(of: "zyxwvutsr") == "01234567-8")
        let id = "01234567-89ab-4def-8123-456789abcdef"
        #expect(ShortID.idPrefix(of: ShortID.whole(id)) == id)
    }

    @Test("Anything else isn't a short id", arguments: ["wkx", "milk", "3f2a", "wk-xp", "", "wörk"])
    func others(word: String) {
        #expect(ShortID.idPrefix(of: word) == nil)
    }

    @Test("A text that is longer than a UUID isn't a short id")
    func tooLong() {
        #expect(ShortID.idPrefix(of: String(repeating: "z", count: 33)) == nil)
        #expect(ShortID.idPrefix(of: String(repeating: "z", count: 32))?.count == 36)
    }
}
