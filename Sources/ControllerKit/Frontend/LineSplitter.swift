/// Splits bytes into lines of bounded length, for front ends that read lines from programs. It does no I/O.
package struct LineSplitter {
    /// A line, or a placeholder for one that is too long.
    package enum Line: Equatable {
        case bytes([UInt8])
        /// The line was longer than allowed and was skipped.
        case tooLong
    }

    private let maximumLength: Int
    private var partial: [UInt8] = []
    private var isSkipping = false

    /// Creates a splitter.
    ///
    /// - Parameter maximumLength: The limit in bytes, without the end of the line.
    package init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// Returns the lines that `chunk` completes, without their ends.
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

    /// Returns the last line if it has no end; nil: the input ended with a line end.
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
        // Nothing of the line is kept: a peer that never sends a line end must not fill the memory.
        partial = []
    }
}
