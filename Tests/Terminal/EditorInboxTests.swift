import Testing

@testable import Terminal

@Suite("The inbox of the line editor")
struct EditorInboxTests {
    @Test("A prompt that is set between two lines is the prompt of the next line")
    func promptBetweenLines() throws {
        let inbox = try #require(EditorInbox())
        inbox.open()
        inbox.setPrompt("first> ")
        #expect(inbox.close() == [.prompt])
        inbox.setPrompt("second> ")
        inbox.open()
        #expect(inbox.prompt == "second> ")
        #expect(inbox.removeAll() == [])
    }

    @Test("An event without a line in progress is refused")
    func closed() throws {
        let inbox = try #require(EditorInbox())
        #expect(!inbox.post(.text("news")))
        inbox.open()
        #expect(inbox.post(.text("news")))
        #expect(inbox.removeAll() == [.text("news")])
    }
}
