import CLibedit

/// A text as C's wide characters. Their address doesn't change while this object exists.
final class WideText {
    let start: UnsafeMutablePointer<wchar_t>
    let scalars: String.UnicodeScalarView

    init(_ text: String) {
        scalars = text.unicodeScalars
        start = .allocate(capacity: scalars.count + 1)
        var end = start
        for scalar in scalars {
            end.initialize(to: scalar.wide)
            end += 1
        }
        end.initialize(to: 0)
    }

    deinit { start.deallocate() }
}

extension Unicode.Scalar {
    /// The character in C (glibc: its Unicode code point).
    var wide: wchar_t { wchar_t(truncatingIfNeeded: value) }
}

extension wchar_t {
    /// The character; U+FFFD if the value isn't one.
    var scalar: Unicode.Scalar { Unicode.Scalar(UInt32(truncatingIfNeeded: self)) ?? "\u{FFFD}" }
}

extension String {
    /// Creates a text from wide characters.
    init(wide start: UnsafePointer<wchar_t>, count: Int) {
        var scalars = UnicodeScalarView()
        for character in UnsafeBufferPointer(start: start, count: count) { scalars.append(character.scalar) }
        self.init(scalars)
    }

    /// Calls `body` with the text as C's wide characters.
    func withWideText<R>(_ body: (UnsafePointer<wchar_t>) -> R) -> R {
        let text = WideText(self)
        return withExtendedLifetime(text) { body(text.start) }
    }
}
