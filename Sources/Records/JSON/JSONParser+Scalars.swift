/// Numbers and strings.
extension JSONParser {
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        let hasExponent = next.map { $0 | 0x20 } == UInt8(ascii: "e")
        if hasExponent {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let number = JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
        // Only an exponent or more than 300 digits can leave the range of binary64.
        if hasExponent || position - start > 300, !number.double.isFinite {
            throw error("a number is too large", at: start)
        }
        return number
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw error("a digit should stand here") }
    }

    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        skipPlainBytes()
        // Most strings have no escape: their bytes are checked and copied once.
        if next == UInt8(ascii: "\"") {
            position += 1
            return try text(bytes[start..<position - 1], from: start)
        }
        var buffer = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try text(buffer, from: start)
            case UInt8(ascii: "\\"): try escape(into: &buffer)
            case 0..<0x20: throw error("a control character stands in a string")
            default:
                let plain = position
                skipPlainBytes()
                buffer += bytes[plain..<position]
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func skipPlainBytes() {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            position += 1
        }
    }

    private func text(_ content: some Collection<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw error("a string is not valid UTF-8", at: start)
        }
        return text
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let byte = next else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer += Character(try scalar(from: start)).utf8
        default: throw error("an unknown escape stands in a string", at: start)
        }
    }

    /// The scalar of one escape, or of two that are a surrogate pair; the first `\u` has been read.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), bytes[position...].starts(with: "\\u".utf8) else {
            throw error("a lone surrogate", at: start)
        }
        position += 2
        let second = try codeUnit()
        let pair = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
        guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(pair) else {
            throw error("a lone surrogate", at: start)
        }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits should stand here")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
