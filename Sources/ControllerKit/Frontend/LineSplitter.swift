/// Cuts bytes into lines of bounded length, for front ends that read lines from programs. Pure: chunks in, lines out.
package struct LineSplitter {
    /// A line, or that it cannot be read.
    package enum Line: Equatable {
        case bytes([UInt8])
        /// It was longer than allowed and was skipped.
        case tooLong
    }

    private let maximumLength: Int
    private var partial: [UInt8] = []
    private var isSkipping = false

    /// - Parameter maximumLength: In bytes, without the end of the line.
    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// The lines that `chunk` completes, without their ends; of a line that is too long nothing is kept.
    package mutating func lines(completedBy chunk: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in chunk {
            if byte == UInt8(ascii: "\n") {
                lines.append(removeLine())
            } else if !isSkipping {
                partial.append(byte)
                if partial.count > maximumLength { skip() }
            }
        }
        return lines
    }

    /// The last line, when it has no end.
    package mutating func remainder() -> Line? { partial.isEmpty && !isSkipping ? nil : removeLine() }

    private mutating func removeLine() -> Line {
        defer {
            partial = []
            isSkipping = false
        }
        return isSkipping ? .tooLong : .bytes(partial)
    }

    private mutating func skip() {
        isSkipping = true
        partial = []
    }
}
