/// Numbers for lines, so that texts are compared number by number: equal lines, byte by byte, get the same one. They count
/// up from zero, so that they can be places of an array.
///
/// A carriage return belongs to its line.
struct LineTable {
    /// How a text is split into lines.
    enum Reading {
        /// Lines are the texts between line feeds. A text that ends in one has an empty last line, so a missing last
        /// line feed is a difference of its own and doesn't touch the line before it.
        case separated
        /// Lines are ended by line feeds, as in git. A last line without one isn't the same as that line with one.
        case ended
    }

    private var numbers: [Line: Int] = [:]
    private var lines: [Line] = []

    /// The numbers of the lines of `text`.
    mutating func numbers(of text: String, as reading: Reading = .separated) -> [Int] {
        var parts = text.utf8.split(separator: Self.lineFeed, omittingEmptySubsequences: false)
        // The text after the last line feed, if there is any.
        let rest = reading == .ended ? parts.removeLast() : nil
        var numbers: [Int] = []
        numbers.reserveCapacity(parts.count + 1)
        for part in parts { numbers.append(number(of: Line(part))) }
        if let rest, !rest.isEmpty { numbers.append(number(of: Line(rest, isEnded: false))) }
        return numbers
    }

    /// The text of these lines.
    func text(of numbers: some BidirectionalCollection<Int>, as reading: Reading = .separated) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.reduce(numbers.count) { $0 + lines[$1].bytes.count })
        for (index, number) in numbers.enumerated() {
            if index > 0 { bytes.append(Self.lineFeed) }
            bytes.append(contentsOf: lines[number].bytes)
        }
        if reading == .ended, let last = numbers.last, lines[last].isEnded { bytes.append(Self.lineFeed) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Those of a text's lines that a line feed ends.
    func ended(_ numbers: [Int], as reading: Reading) -> ArraySlice<Int> {
        switch reading {
        case .separated: numbers.dropLast()
        case .ended: numbers.last.map { lines[$0].isEnded } == false ? numbers.dropLast() : numbers[...]
        }
    }

    /// Whether `text` has a last line without a line feed.
    static func leavesOpen(_ text: String) -> Bool { text.utf8.last.map { $0 != lineFeed } ?? false }

    private static let lineFeed = UInt8(ascii: "\n")

    private mutating func number(of line: Line) -> Int {
        if let number = numbers[line] { return number }
        numbers[line] = lines.count
        lines.append(line)
        return lines.count - 1
    }

    /// A line, compared byte by byte.
    private struct Line: Hashable {
        let bytes: Substring.UTF8View
        let isEnded: Bool

        init(_ bytes: Substring.UTF8View, isEnded: Bool = true) {
            self.bytes = bytes
            self.isEnded = isEnded
        }

        static func == (left: Line, right: Line) -> Bool {
            left.isEnded == right.isEnded && left.bytes.elementsEqual(right.bytes)
        }

        func hash(into hasher: inout Hasher) {
            var text = Substring(bytes)
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
