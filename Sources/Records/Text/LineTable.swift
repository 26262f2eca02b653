/// Numbers for lines, so that texts are compared number by number: equal lines, byte by byte, get the same one.
///
/// Lines are what stands between line feeds. A text that ends in one has an empty last line, so a missing last line feed
/// is a difference of its own and doesn't touch the line before it; a carriage return belongs to its line.
struct LineTable {
    private var numbers: [Line: Int] = [:]
    private var lines: [Line] = []

    /// The numbers of the lines of `text`.
    mutating func numbers(of text: String) -> [Int] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            number(of: Line(bytes: $0))
        }
    }

    /// The text of these lines.
    func text(of numbers: some Sequence<Int>) -> String {
        var bytes: [UInt8] = []
        for (index, number) in numbers.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\n")) }
            bytes.append(contentsOf: lines[number].bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func number(of line: Line) -> Int {
        if let number = numbers[line] { return number }
        numbers[line] = lines.count
        lines.append(line)
        return lines.count - 1
    }

    /// A line, compared byte by byte.
    private struct Line: Hashable {
        let bytes: Substring.UTF8View

        static func == (left: Line, right: Line) -> Bool { left.bytes.elementsEqual(right.bytes) }

        func hash(into hasher: inout Hasher) {
            var text = Substring(bytes)
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
