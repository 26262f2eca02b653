/// A check box in a text: an item of a list that begins with `[ ]` or `[x]`, outside of code.
public struct CheckBox: Sendable, Equatable {
    /// Its number in the text, from 1.
    public let number: Int
    /// The number of its line, from 1.
    public let line: Int
    /// Whether it is checked.
    public let isChecked: Bool
    /// The position of the character between the brackets, in bytes of UTF-8.
    private let offset: Int

    /// Returns the check boxes in a text, in their order. The time is linear in the length of the text.
    public static func all(in text: String) -> [CheckBox] {
        var boxes: [CheckBox] = []
        var fence: Fence?
        var offset = 0
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            defer { offset += line.count + 1 }
            let bytes = Array(line)
            if let mark = Fence(bytes) {
                if fence == nil { fence = mark } else if fence?.isClosed(by: mark) == true { fence = nil }
                continue
            }
            guard fence == nil, let place = place(in: bytes) else { continue }
            let isChecked = bytes[place] != UInt8(ascii: " ")
            boxes.append(
                CheckBox(number: boxes.count + 1, line: index + 1, isChecked: isChecked, offset: offset + place))
        }
        return boxes
    }

    /// Returns a text with all check boxes unchecked.
    static func clearing(_ text: String) -> String {
        let checked = all(in: text).filter(\.isChecked).map(\.number)
        return checked.isEmpty ? text : toggling(Set(checked), in: text) ?? text
    }

    /// Returns a text with the other state of check boxes; nil: a number is not that of a check box.
    public static func toggling(_ numbers: Set<Int>, in text: String) -> String? {
        let boxes = all(in: text)
        guard numbers.allSatisfy({ (1...max(boxes.count, 1)).contains($0) }), !boxes.isEmpty else { return nil }
        var bytes = Array(text.utf8)
        for box in boxes where numbers.contains(box.number) {
            bytes[box.offset] = box.isChecked ? UInt8(ascii: " ") : UInt8(ascii: "x")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the position between the brackets of a check box at the beginning of a line; nil: there is none.
    private static func place(in line: [UInt8]) -> Int? {
        var rest = line[...]
        // Block quote markers and the indentation come before the list marker.
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ">") }
        guard let marker = rest.first else { return nil }
        if Array("-+*".utf8).contains(marker) {
            rest = rest.dropFirst()
        } else {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            guard (1...9).contains(digits.count), let delimiter = rest.first, Array(".)".utf8).contains(delimiter)
            else {
                return nil
            }
            rest = rest.dropFirst()
        }
        let box = rest.drop { $0 == UInt8(ascii: " ") }
        let inside = box.startIndex + 1
        guard box.count < rest.count, box.count >= 4, box.first == UInt8(ascii: "["),
            Array(" xX".utf8).contains(line[inside]), line[inside + 1] == UInt8(ascii: "]"),
            line[inside + 2] == UInt8(ascii: " ")
        else { return nil }
        return inside
    }

    /// A line that begins or ends a block of code: three or more backticks or tildes.
    private struct Fence {
        let marker: UInt8
        let length: Int
        let hasInfo: Bool

        init?(_ line: [UInt8]) {
            let rest = line.drop { $0 == UInt8(ascii: " ") }
            guard let marker = rest.first, Array("`~".utf8).contains(marker) else { return nil }
            let run = rest.prefix { $0 == marker }
            guard run.count >= 3 else { return nil }
            (self.marker, length) = (marker, run.count)
            // A line such as "```a``` b" is code within a paragraph.
            if marker == UInt8(ascii: "`"), rest.dropFirst(run.count).contains(marker) { return nil }
            hasInfo = rest.dropFirst(run.count).contains { $0 > UInt8(ascii: " ") }
        }

        func isClosed(by other: Fence) -> Bool { marker == other.marker && other.length >= length && !other.hasInfo }
    }
}
