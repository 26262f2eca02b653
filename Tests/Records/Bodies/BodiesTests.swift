import Records
import Testing

@Suite("Links and check boxes in texts")
struct BodiesTests {
    @Test(
        "A link is a title between two pairs of brackets, in one line and without brackets",
        arguments: [
            ("[[Garden plan]]", ["Garden plan"]), ("a [[ B ]] c [[D]]", ["B", "D"]), ("[[a\nb]]", []),
            ("[[]] [[ ]]", []),
            ("[[a]", []), ("[[a] b]]", []), ("[[a [[b]]", ["b"]), ("[[[a]]]", []), ("[a]", []), ("[[é 👍]]", ["é 👍"]),
        ] as [(String, [String])])
    func links(text: String, titles: [String]) {
        #expect(TextLink.all(in: text).map(\.title) == titles)
    }

    @Test("The range of a link includes its brackets")
    func range() throws {
        let text = "See [[Plan]]."
        let link = try #require(TextLink.all(in: text).first)
        #expect(text[link.range] == "[[Plan]]")
    }

    @Test("A title longer than the limit isn't a link")
    func longLink() {
        let title = String(repeating: "x", count: TextLink.maximumBytes)
        #expect(TextLink.all(in: "[[\(title)]]").count == 1)
        #expect(TextLink.all(in: "[[\(title)x]]").isEmpty)
    }

    @Test(
        "A check box is at the beginning of an item of a list, outside of code",
        arguments: [
            ("- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [x] e", [false, true, true, false, true]),
            ("> - [ ] quoted\n  - [x] indented", [false, true]), ("[ ] a\n-[ ] b\n- [] c\n- [y] d\n- [ ]x", []),
            ("```\n- [ ] a\n```\n- [x] b", [true]), ("~~~~\n```\n- [ ] a\n~~~~\n- [x] b", [true]),
            ("```a``` b\n- [ ] c", [false]),
        ] as [(String, [Bool])])
    func boxes(text: String, states: [Bool]) {
        #expect(CheckBox.all(in: text).map(\.isChecked) == states)
        #expect(CheckBox.all(in: text).map(\.number) == Array(1...max(states.count, 1)).prefix(states.count).map { $0 })
    }

    @Test("Toggling changes the named boxes only; an unknown number changes nothing")
    func toggling() {
        let text = "Buy\n- [ ] ä\n- [x] b\r\n- [ ] c"
        #expect(CheckBox.toggling([1, 2], in: text) == "Buy\n- [x] ä\n- [ ] b\r\n- [ ] c")
        #expect(CheckBox.toggling([4], in: text) == nil)
        #expect(CheckBox.toggling([1], in: "no boxes") == nil)
        #expect(CheckBox.all(in: text).map(\.line) == [2, 3, 4])
    }
}
