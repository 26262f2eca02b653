/// Cuts what a terminal sends into keys.
///
/// A paste is distinguished from typing where the terminal brackets it: `ESC [ 200 ~` … `ESC [ 201 ~` (xterm's control
/// sequences, “Bracketed Paste Mode”).
struct KeyDecoder {
    /// What a person did.
    enum Key: Equatable {
        /// A key, or a part of one: the keys with names send several characters.
        case character(Unicode.Scalar)
        /// A text at once: a paste, or what takes no column and so is no key to libedit, which would count one for it.
        case text(String)
        /// Ctrl-C.
        case interrupt
        /// Ctrl-Z.
        case suspend
    }

    /// The limit for the bytes of a paste; a longer one is cut.
    static let maximumPaste = 1 << 20

    private static let pasteBegins = Array("\u{1B}[200~".utf8)
    private static let pasteEnds = Array("\u{1B}[201~".utf8)

    private var bytes: ArraySlice<UInt8> = []
    private var pasted: [UInt8]?

    /// Whether there is the beginning of something that may be longer.
    var isUndecided: Bool { pasted == nil && !bytes.isEmpty }

    /// Decodes what was read.
    mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// The next key; nil where more bytes are needed.
    ///
    /// - Parameter isAll: Whether nothing more came, so that what may begin something longer stands for itself.
    mutating func next(isAll: Bool) -> Key? {
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

    /// What a character is; nil for a C1 control, which no keyboard sends and no terminal should.
    private static func key(of scalar: Unicode.Scalar) -> Key? {
        if (0x80...0x9F).contains(scalar.value) { return nil }
        return Character(scalar).displayWidth == 0 && scalar.value >= 0x80 ? .text(String(scalar)) : .character(scalar)
    }

    // MARK: Characters

    /// Decodes a character of UTF-8; U+FFFD for an invalid byte.
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

    /// How many bytes a character has that begins with this one (RFC 3629, section 4); 0 where none does.
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

    /// Decodes the next part of a paste; returns the key once it ends. Ctrl-C ends one whose end got lost.
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

    /// A paste's text: its lines end with line feeds, the last one with nothing; other controls are left out.
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
