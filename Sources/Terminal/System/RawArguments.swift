/// The arguments of a process as bytes. `CommandLine.arguments` replaces bytes that aren't UTF-8, so that a text other
/// than the typed one would be stored.
public struct RawArguments: Sendable {
    private let arguments: [[UInt8]]

    /// Creates a list from the bytes of each argument.
    package init(_ arguments: [[UInt8]]) { self.arguments = arguments }

    /// The arguments of this process, without its name.
    public static var ofProcess: RawArguments {
        RawArguments(
            (1..<max(1, Int(CommandLine.argc))).map { index in
                var bytes: [UInt8] = []
                guard var next = CommandLine.unsafeArgv[index] else { return bytes }
                while next.pointee != 0 {
                    bytes.append(UInt8(bitPattern: next.pointee))
                    next += 1
                }
                return bytes
            })
    }

    /// Checks that all arguments are UTF-8.
    ///
    /// - Throws: `TerminalError` of kind `usage` that shows the first argument that isn't.
    public func check() throws(TerminalError) {
        guard let first = arguments.first(where: { String(validating: $0, as: UTF8.self) == nil }) else { return }
        throw TerminalError(
            .usage,
            "“\(Self.shown(first))” is not UTF-8 text. Nothing was changed. Use a terminal and a locale of UTF-8, or give the "
                + "text in a file.")
    }

    /// Returns the argument with all bytes except printable ASCII in the form `\xE9`.
    private static func shown(_ argument: [UInt8]) -> String {
        argument.map { byte in
            (0x20..<0x7F).contains(byte)
                ? String(UnicodeScalar(byte))
                : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
