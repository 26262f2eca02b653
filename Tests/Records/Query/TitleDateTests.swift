import Records
import Testing

@Suite("Dates at the end of titles")
struct TitleDateTests {
    private func find(_ words: [String]) throws -> TitleDate? {
        try TitleDate.find(
            in: words, catalog: RecordTypes.standard.catalog, dates: DateExpressionTests.context("2026-11-22T03:43:00Z")
        )
    }

    @Test(
        "a clear date is found",
        arguments: [
            ("Dentist tomorrow 5pm", "Dentist", "tomorrow 5pm"), ("Dentist +health Friday", "Dentist", "Friday"),
            ("Call Bob in 3 days", "Call Bob", "in 3 days"),
            ("Submit the report by friday", "Submit the report", "friday"),
            ("Party on 24 December", "Party", "on 24 December"), ("Standup 9:30", "Standup", "9:30"),
            ("Run 5pm", "Run", "5pm"), ("Pay rent end of month", "Pay rent", "end of month"),
            ("Plan next week", "Plan", "next week"), ("Walk tonight", "Walk", "tonight"),
            ("Buy 3 eggs tomorrow", "Buy 3 eggs", "tomorrow"), ("Read chapter 3 friday", "Read chapter 3", "friday"),
            ("Meet Mon 9am", "Meet", "Mon 9am"),
        ])
    func found(line: String, title: String, text: String) throws {
        let context = try DateExpressionTests.context("2026-11-22T03:43:00Z")
        let date = try #require(try find(line.split(separator: " ").map(String.init)))
        #expect(date.title == title)
        #expect(date.text == text)
        let expression = try DateExpression(text, in: context, past: .nextDay)
        #expect(date.expression == expression)
    }

    @Test("a date is found in a title of one word with quotes")
    func quoted() throws {
        #expect(try find(["Dentist tomorrow 5pm"])?.text == "tomorrow 5pm")
    }

    @Test(
        "other titles have none",
        arguments: [
            "Read chapter 3", "Meet Mon", "Buy sun cream", "May", "March report", "Call 5", "Tomorrow", "Trip in May",
            "Meet 1/15", "Version 24.12.", "Practice half an hour", "Walk 2 weeks", "Book 5th", "Start now",
            "Do it later", "Review yesterday", "Friday's report", "Eat at noon", "Buy milk due:friday 15:00",
        ])
    func notFound(title: String) throws {
        #expect(try find(title.split(separator: " ").map(String.init)) == nil)
        if !title.contains(":") { #expect(try find([title]) == nil) }
    }

    @Test("nothing is sought after --")
    func literal() throws { #expect(try find(["Call", "--", "Bob", "tomorrow"]) == nil) }
}
