import ControllerKit
import Foundation
import SafeText
import Testing

@Suite("States as JSON text")
struct StateTextTests {
    @Test("A state as JSON escapes terminal control characters and has the same meaning")
    func json() throws {
        let text =
            "\u{1B}\u{7F}\u{80}\u{9B}\u{2028}\u{2029}\u{202E}\u{2066}\u{61C}\u{200B}\u{200F}\u{FEFF}\u{E0041} ü 日本 👩‍👩‍👧 \"\\ /"
        let written = try JSONEncoder.stateText(of: [text: [text]])
        #expect(
            written.contains(
                #"\u007f\u0080\u009b\u2028\u2029\u202e\u2066\u061c\u200b\u200f\ufeff\udb40\udc41 ü 日本 👩‍👩‍👧 \"\\ /"#))
        #expect(written.isSanitized)
        #expect(try JSONDecoder().decode([String: [String]].self, from: Data(written.utf8)) == [text: [text]])
    }
}
