/// Numbers for lines, so that texts are compared number by number: lines that are equal byte by byte have the same
/// number. The numbers count up from zero, so that they can be indices of an array.
///
/// A carriage return belongs to its line.
struct LineTable {
    /// The way in which a text is split into lines.
    enum Reading {
        /// Lines are separated by line feeds. A text that ends in one has an empty last line, so a missing last line
        /// feed is a separate difference and doesn't change the line before it.
        case separated
        /// Lines include their line feeds, as in git. A last line without one differs from the same line with one.
        case ended
    }

    private var numbers: [Line: Int] = [:]
    private var lines: [Line] = []

    /// Returns the numbers of the lines of `text`.
    mutating func numbers(of text: String, as reading: Reading = .separated) -> [Int] {
        var parts = text.utf8.split(separator: Self.lineFeed, omittingEmptySubsequences: false)
        // The text after the last line feed; empty if the text ends in one.
        let rest = reading == .ended ? parts.removeLast() : nil
        var numbers: [Int] = []
        numbers.reserveCapacity(parts.count + 1)
        for part in parts { numbers.append(number(of: Line(part))) }
        if let rest, !rest.isEmpty { numbers.append(number(of: Line(rest, isEnded: false))) }
        return numbers
    }

    /// Returns the text of these lines.
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

    /// Returns those of a text's lines that end in a line feed.
    func ended(_ numbers: [Int], as reading: Reading) -> ArraySlice<Int> {
        switch reading {
        case .separated: numbers.dropLast()
        case .ended: numbers.last.map { lines[$0].isEnded } == false ? numbers.dropLast() : numbers[...]
        }
    }

    /// Returns whether the last line of `text` lacks a line feed.
    static func leavesOpen(_ text: String) -> Bool { text.utf8.last.map { $0 != lineFeed } ?? false }

    private static let lineFeed = UInt8(ascii: "\n")

    private mutating func number(of line: Line) -> Int {
        if let number = numbers[line] { return number }
        numbers[line] = lines.count
        lines.append(line)
        return lines.count - 1
    }

    /// A line, compared and hashed byte by byte: `Substring` would treat canonically equivalent lines as equal.
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
            // `withUTF8` is mutating, since it may make the storage contiguous.
            var text = Substring(bytes)
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
