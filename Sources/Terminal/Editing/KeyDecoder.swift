/// Decodes the bytes of a terminal into keys.
///
/// A paste is distinguished from typing if the terminal brackets it: `ESC [ 200 ~` … `ESC [ 201 ~` (xterm's control
/// sequences, "Bracketed Paste Mode").
package struct KeyDecoder {
    /// A key or a paste.
    package enum Key: Equatable {
        /// A key or a part of one: named keys send several characters.
        case character(Unicode.Scalar)
        /// A text: a paste, or a character without a width. libedit counts one column for each key.
        case text(String)
        /// Ctrl-C.
        case interrupt
        /// Ctrl-Z.
        case suspend
    }

    /// The limit for a paste, in bytes. A longer one is cut.
    static let maximumPaste = 1 << 20

    private static let pasteBegins = Array("\u{1B}[200~".utf8)
    private static let pasteEnds = Array("\u{1B}[201~".utf8)

    private var bytes: ArraySlice<UInt8> = []
    private var pasted: [UInt8]?

    /// Creates a decoder without bytes.
    package init() {}

    /// Whether there are bytes that may be the beginning of a longer key.
    var isUndecided: Bool { pasted == nil && !bytes.isEmpty }

    /// Adds bytes to be decoded.
    package mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// Returns the next key; nil: more bytes are needed.
    ///
    /// - Parameter isAll: Whether no more bytes arrived in time, so that the beginning of a longer key is a key.
    package mutating func next(isAll: Bool) -> Key? {
        while let first = bytes.first {
            if pasted != nil {
                guard let key = endOfPaste() else { return nil }
                return key
            }
            if bytes.starts(with: Self.pasteBegins) {
                bytes = bytes.dropFirst(Self.pasteBegins.count)
                pasted = []
                continue
            }
            if !isAll, bytes.count < Self.pasteBegins.count, Self.pasteBegins.starts(with: bytes) { return nil }
            switch first {
            case 0x03: return key(.interrupt)
            case 0x1A: return key(.suspend)
            default:
                guard let scalar = scalar(isAll: isAll) else { return nil }
                if let key = Self.key(of: scalar) { return key }
            }
        }
        return nil
    }

    private mutating func key(_ key: Key) -> Key {
        bytes = bytes.dropFirst()
        return key
    }

    /// Returns the key of a character; nil: it is a C1 control, which no keyboard sends and no terminal should.
    private static func key(of scalar: Unicode.Scalar) -> Key? {
        if (0x80...0x9F).contains(scalar.value) { return nil }
        return Character(scalar).displayWidth == 0 && scalar.value >= 0x80 ? .text(String(scalar)) : .character(scalar)
    }

    // MARK: Characters

    /// Decodes a character of UTF-8. Returns U+FFFD for an invalid byte; nil: more bytes are needed.
    private mutating func scalar(isAll: Bool) -> Unicode.Scalar? {
        guard let first = bytes.first else { return nil }
        let length = Self.length(of: first)
        if bytes.count < length, !isAll { return nil }
        guard length > 0, let text = String(validating: bytes.prefix(length), as: UTF8.self),
            let scalar = text.unicodeScalars.first
        else {
            bytes = bytes.dropFirst()
            return "\u{FFFD}"
        }
        bytes = bytes.dropFirst(length)
        return scalar
    }

    /// Returns the length of a character by its first byte (RFC 3629, section 4); 0: no character begins with it.
    private static func length(of first: UInt8) -> Int {
        switch first {
        case 0..<0x80: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }

    // MARK: Pastes

    /// Decodes the next part of a paste. Returns the key when it ends. Ctrl-C ends a paste whose end was lost.
    private mutating func endOfPaste() -> Key? {
        var paste = pasted ?? []
        while let first = bytes.first {
            if first == 0x03 {
                pasted = nil
                return key(.interrupt)
            }
            if bytes.starts(with: Self.pasteEnds) {
                bytes = bytes.dropFirst(Self.pasteEnds.count)
                pasted = nil
                return .text(Self.text(paste))
            }
            if Self.pasteEnds.starts(with: bytes) { break }
            if paste.count < Self.maximumPaste { paste.append(first) }
            bytes = bytes.dropFirst()
        }
        pasted = paste
        return nil
    }

    /// Returns the text of a paste with line feeds as line ends and without empty lines at the end. Other control
    /// characters except tabs are dropped, so that a paste can't contain keys such as Enter or ESC.
    private static func text(_ bytes: [UInt8]) -> String {
        let lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
        let texts = lines.map { line in
            String(
                String.UnicodeScalarView(
                    line.unicodeScalars.filter { $0 == "\t" || $0.properties.generalCategory != .control }))
        }
        let used = texts.lastIndex { !$0.isEmpty }.map { texts[...$0] } ?? []
        return used.joined(separator: "\n")
    }
}
