import Records
import Testing

@Suite struct CollectionSetTests {
    @Test func `names are parsed in any order and written sorted`() {
        #expect(CollectionSet(text: "tasks,notes")?.text == "notes,tasks")
        #expect(CollectionSet(text: "tasks") == CollectionSet(["tasks"]))
        #expect(CollectionSet.all.text == nil && CollectionSet.all.names == nil)
    }

    @Test(arguments: [
        "", ",", "tasks,", "Tasks", "a b", (0...CollectionSet.maximum).map { "c\($0)" }.joined(separator: ","),
    ])
    func `empty, invalid and too many names are refused`(text: String) {
        #expect(CollectionSet(text: text) == nil)
    }

    @Test func `no name, and more names than the maximum, mean all collections`() {
        let names = (0..<CollectionSet.maximum).map { "c\($0)" }
        #expect(CollectionSet(names).names?.count == CollectionSet.maximum)
        #expect(CollectionSet(names + ["more"]) == .all)
        #expect(CollectionSet([]) == .all)
        #expect(CollectionSet(names).union(CollectionSet(["more"])) == .all)
    }

    @Test func `sets have unions, supersets and members`() {
        let (one, two) = (CollectionSet(["a"]), CollectionSet(["a", "b"]))
        #expect(two.isSuperset(of: one) && !one.isSuperset(of: two))
        #expect(CollectionSet.all.isSuperset(of: two) && !two.isSuperset(of: .all))
        #expect(one.union(CollectionSet(["b"])) == two && one.union(.all) == .all)
        #expect(one.contains("a") && !one.contains("b") && CollectionSet.all.contains("b"))
    }
}
