/// Cuts bytes into lines of bounded length. Pure: chunks in, lines out.
struct LineSplitter {
    /// What came of a line.
    enum Line: Equatable {
        case bytes([UInt8])
        /// It was longer than allowed and was skipped.
        case tooLong
    }

    let maximumLength: Int
    private var partial: [UInt8] = []
    private var isSkipping = false

    init(maximumLength: Int) { self.maximumLength = maximumLength }

    /// The lines that `chunk` completes, without their ends; of a line that is too long nothing is kept.
    mutating func lines(completedBy chunk: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in chunk {
            if byte == UInt8(ascii: "\n") {
                lines.append(take())
            } else if !isSkipping {
                partial.append(byte)
                if partial.count > maximumLength { skip() }
            }
        }
        return lines
    }

    /// The last line, when it has no end.
    mutating func remainder() -> Line? { partial.isEmpty && !isSkipping ? nil : take() }

    private mutating func take() -> Line {
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
