import TextMerge
import Testing

@Suite struct UnifiedDiffTests {
    private func shown(_ old: String, _ new: String, context: Int? = 1) -> [String] {
        UnifiedDiff(from: old, to: new, context: context).lines.map { line in
            switch line {
            case .same(let text): " \(text)"
            case .removed(let text): "-\(text)"
            case .added(let text): "+\(text)"
            case .skipped(let count): "@\(count)"
            }
        }
    }

    @Test(
        arguments: [
            ("a\nb\nc", "a\nb\nc", []), ("", "", []), ("a\n", "a\n", []),
            ("a\nb\nc\n", "a\nB\nc\n", [" a", "-b", "+B", " c"]),
            ("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nX\n5\n6\n7\n", ["@2", " 3", "-4", "+X", " 5", "@2"]),
            ("1\n2\n3\n4\n5\n6\n", "A\n2\n3\n4\n5\nB\n", ["-1", "+A", " 2", "@2", " 5", "-6", "+B"]),
            ("1\n2\n3\n4\n5\n", "A\n2\n3\n4\nB\n", ["-1", "+A", " 2", " 3", " 4", "-5", "+B"]),
            ("a", "a\n", [" a", "+"]), ("", "a\nb\n", ["+a", "+b"]), ("a\r\n", "a\n", ["-a\r", "+a"]),
        ] as [(String, String, [String])])
    func `what differs is shown with its surroundings, the rest is counted`(old: String, new: String, lines: [String]) {
        #expect(shown(old, new) == lines)
    }

    @Test func `without a bound all common lines are shown`() {
        #expect(shown("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nX\n", context: nil) == [" 1", " 2", " 3", " 4", "-5", "+X"])
    }

    @Test func `the lines of a side put together are its text`() {
        let (old, new) = ("a\nb\nc\n\nd\ne", "b\nc\n\nx\nd\ne\nf")
        var (one, other): ([String], [String]) = ([], [])
        for line in UnifiedDiff(from: old, to: new, context: nil).lines {
            switch line {
            case .same(let text): (one, other) = (one + [text], other + [text])
            case .removed(let text): one.append(text)
            case .added(let text): other.append(text)
            case .skipped: Issue.record("nothing may be left out")
            }
        }
        #expect((one.joined(separator: "\n"), other.joined(separator: "\n")) == (old, new))
    }
}
