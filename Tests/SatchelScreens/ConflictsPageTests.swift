import ControllerKit
import Foundation
import Testing

@testable import SatchelScreens

@testable import Controllers
@testable import WebPageView

@MainActor
@Suite struct ConflictsPageTests {
    private func edit(_ value: String?, isMine: Bool) -> ConflictsScreen.State.Edit {
        .init(
            value: value, isCut: false, at: nil, device: isMine ? "here" : "there", deviceName: isMine ? nil : "phone",
            isMine: isMine)
    }

    private func row(_ earlier: String?, _ later: String?, isGone: Bool = false) -> ConflictsScreen.State.Row {
        let isText = earlier?.contains("\n") == true
        return .init(
            number: 1, id: "c1", record: "r1", collection: "tasks", title: "Plan <b>", isRecordDeleted: isGone,
            field: "body", label: "Body", earlier: edit(earlier, isMine: true), later: edit(later, isMine: false),
            diff: isText ? TextDiff(from: earlier ?? "", to: later ?? "") : nil, kept: .later, hasChangedSince: false,
            now: nil, resolvedAt: nil, resolvedBy: nil)
    }

    private func html(_ state: ConflictsScreen.State) throws -> String {
        let frame = PageFrame(
            try Catalog([]), design: .satchel, templates: try Templates(PageDesign.satchel.templates),
            address: PageAddress(screen: "conflicts"), csrf: "token", clock: PageClock(now: .now, timeZone: .gmt))
        return frame.templates.html("conflicts", ConflictsModel(state, frame))
    }

    @Test func `both versions are shown side by side, with their authors and every choice`() throws {
        var state = ConflictsScreen.State()
        (state.rows, state.total) = ([row("Mine", nil)], 1)
        let page = try html(state)
        #expect(page.contains("Plan &lt;b&gt;") && page.contains("this device") && page.contains("phone"))
        #expect(page.contains(">Mine</div>") && page.contains("<em>removed</em>"))
        for choice in ConflictsScreen.Choice.allCases {
            #expect(page.contains("name=\"choice\" value=\"\(choice.rawValue)\""))
        }
        #expect(!page.contains("name=\"revive\"") && !page.contains("<textarea"))
    }

    @Test func `a record that was deleted may be revived`() throws {
        var state = ConflictsScreen.State()
        (state.rows, state.total) = ([row("a", "b", isGone: true)], 1)
        #expect(try html(state).contains("name=\"revive\" value=\"true\""))
    }

    @Test func `a text to edit is in its conflict, whole, and returns even when it is emptied`() throws {
        var state = ConflictsScreen.State()
        (state.rows, state.total) = ([row("one\ntwo\n", "one\nthree\n")], 1)
        state.draft = .init(conflict: "c1", field: "body", isBody: true, text: "one\n<<<<<<< earlier\n\u{202E}")
        #expect(try html(state).contains("one\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; earlier\n\u{202E}</textarea>"))
        #expect(try html(state).contains("name=\"was.value\" value=\"-\""))
    }

    @Test func `a changed line is next to its new version`() {
        let model = DiffModel(TextDiff(from: "one\ntwo\nthree", to: "one\n2\nthree\nfour", whole: true))
        #expect(
            model.lines == [
                .init(old: "one", new: "one", isSame: true),
                .init(old: "two", new: "2", isRemoved: true, isAdded: true),
                .init(old: "three", new: "three", isSame: true), .init(new: "four", isAdded: true),
            ])
    }
}
