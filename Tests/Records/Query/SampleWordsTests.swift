import Records
import Testing

@Suite("Sample words of help texts")
struct SampleWordsTests {
    @Test("Each kind of field in Satchel's types has an example")
    func standard() {
        let samples = SampleWords(.standard)
        #expect(samples.filter == "+tag -tag project:home due<=eow priority:H @list")
        #expect(samples.shortFilter == "+shop due<=eow")
        #expect(samples.typed == ["+tag", "project:home", "due:friday", "priority:H", "repeat:daily"])
    }

    @Test("Only declared fields are named; a field that completes records is not")
    func declared() {
        let states = FieldKind.choice([Choice("reported"), Choice("fixed", isClosed: true)])
        let bug = RecordType(
            collection: "bugs", names: ["bug", "bugs"],
            fields: [
                Field(.title, kind: .title, place: .form), Field(FieldKey<Double>("votes"), place: .form),
                Field(FieldKey<String>("state"), kind: states, place: .form),
            ])
        let samples = SampleWords(RecordTypes([bug]))
        #expect(samples.filter == "votes>3 @list")
        #expect(samples.shortFilter == "votes>3")
        #expect(samples.typed == ["votes:4"])
    }

    @Test("Words that name other fields or tags are recognized")
    func declares() {
        let book = RecordType(
            collection: "books", names: ["book"], fields: [Field(.title, kind: .title, place: .form)])
        let samples = SampleWords(RecordTypes([book]))
        #expect(samples.declares(["add", "Dune", "title:Dune", "--body-file", "a.txt", "1,3-5"]))
        for word in ["due<=eow", "priority:", "+shop", "-shop"] {
            #expect(!samples.declares(["list", word]), "\(word)")
            #expect(SampleWords(.standard).declares(["list", word]), "\(word)")
        }
    }
}
