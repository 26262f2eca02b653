internal import Records

/// The entries of an export, whatever way it is written.
enum TaskwarriorFile {
    /// The entries, each parsed or with the reason why not.
    ///
    /// - Throws: `ImportError` if the file as a whole can't be read.
    static func entries(_ bytes: [UInt8]) throws(ImportError) -> [Result<JSONValue, TaskwarriorEntry.Reason>] {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let first = bytes.first(where: { !isSpace($0) }) else {
            throw ImportError(file: "the file is empty")
        }
        return first == UInt8(ascii: "[") ? try array(bytes) : lines(bytes)
    }

    private static func array(
        _ bytes: ArraySlice<UInt8>
    ) throws(ImportError) -> [Result<JSONValue, TaskwarriorEntry.Reason>] {
        do {
            return try JSONValue(parsing: bytes).array?.map { .success($0) } ?? []
        } catch {
            throw ImportError(at: .line(of: error.offset, in: bytes), "this isn't valid JSON: \(error.reason)")
        }
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) -> [Result<JSONValue, TaskwarriorEntry.Reason>] {
        bytes.split(separator: UInt8(ascii: "\n")).filter { !$0.allSatisfy(isSpace) }.map { line in
            do {
                return .success(try JSONValue(parsing: line))
            } catch {
                return .failure(TaskwarriorEntry.Reason("its line isn't valid JSON: \(error)"))
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

extension ImportError.Place {
    /// The line and column of a byte in a text of UTF-8; columns are counted in characters of Unicode.
    static func line(of offset: Int, in bytes: ArraySlice<UInt8>) -> ImportError.Place {
        let before = bytes.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
        let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
        return .line(1 + before.count { $0 == UInt8(ascii: "\n") }, column: column)
    }
}
