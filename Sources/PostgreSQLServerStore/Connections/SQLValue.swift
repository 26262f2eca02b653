/// A value for a parameter of a statement. It is sent in PostgreSQL's binary format, so that a text with U+0000 is refused
/// by the server and never shortened on the way.
enum SQLValue {
    case null
    case int(Int64)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    /// An array of values of one type; it may contain nulls.
    case array(ElementType, [SQLValue])

    /// The type of an array's elements, by its object id in every PostgreSQL (pg_type.dat).
    enum ElementType: Int32 {
        case bool = 16
        case bytes = 17
        case int = 20
        case text = 25
    }

    init(_ number: Int64?) { self = number.map { .int($0) } ?? .null }
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    static func texts(_ texts: some Sequence<String>) -> SQLValue { .array(.text, texts.map { .text($0) }) }

    static func ints(_ numbers: some Sequence<Int64>) -> SQLValue { .array(.int, numbers.map { .int($0) }) }

    /// Appends the value in the binary format; a null has no bytes.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .int(let number): bytes.append(bigEndian: number)
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .text(let text): bytes.append(contentsOf: text.utf8)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .array(let type, let elements): Self.write(elements, of: type, to: &bytes)
        }
    }

    /// Appends an array: dimensions, whether there are nulls, type, count, first index, and the elements with their
    /// lengths (array_recv in arrayfuncs.c).
    private static func write(_ elements: [SQLValue], of type: ElementType, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: elements.isEmpty ? 0 : 1 as Int32)
        bytes.append(bigEndian: elements.contains(where: \.isNull) ? 1 : 0 as Int32)
        bytes.append(bigEndian: type.rawValue)
        if elements.isEmpty { return }
        bytes.append(bigEndian: Int32(clamping: elements.count))
        bytes.append(bigEndian: 1 as Int32)
        for element in elements {
            let place = bytes.count
            bytes.append(bigEndian: -1 as Int32)
            if element.isNull { continue }
            element.write(to: &bytes)
            let length = Int32(clamping: bytes.count - place - 4)
            for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(byte))) }
        }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int64) { self = .int(number) }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
