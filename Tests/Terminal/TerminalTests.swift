import Foundation
import PrivateFiles
import Testing

@testable import Terminal

@Suite("The system's terminal")
struct TerminalTests {
    /// Runs `body` on an input that contains these bytes and ends.
    private func withInput<R>(_ bytes: [UInt8], _ body: (InputFile) async throws -> R) async throws -> R {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        return try await body(InputFile(descriptor: ends[0]))
    }

    @Test("Lines end with LF or CRLF, the last one may have no line end")
    func lines() async throws {
        let lines = try await withInput(Array("a\nb\r\n\nlast".utf8)) { input in
            var lines: [String] = []
            while let line = try await input.line() { lines.append(line) }
            return lines
        }
        #expect(lines == ["a", "b", "", "last"])
    }

    @Test("What is left after a line can be read at once")
    func rest() async throws {
        let rest = try await withInput(Array("a\nb\nc\n".utf8)) { input in
            _ = try await input.line()
            return try await input.rest()
        }
        #expect(rest == "b\nc\n")
    }

    @Test("A line that is not UTF-8 is refused, and the next one is read")
    func invalid() async throws {
        let next = try await withInput([0xFF, 0x0A, 0x62, 0x0A]) { input in
            await #expect(throws: TerminalError(.usage, "The input is not UTF-8 text.")) { try await input.line() }
            return try await input.line()
        }
        #expect(next == "b")
    }

    @Test("A secret is typed on a terminal whose echo is off, and on again afterwards")
    func echo() throws {
        // The requests behind unlockpt(3) and ptsname(3), which Glibc's module omits: TIOCSPTLCK and TIOCGPTN.
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        var unlocked: Int32 = 0
        var number: Int32 = 0
        try #require(ioctl(terminal, 0x4004_5431 as UInt, &unlocked) == 0)
        try #require(ioctl(terminal, 0x8004_5430 as UInt, &number) == 0)
        let side = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(side >= 0)
        defer { close(side) }
        #expect(echoes(side))
        let hidden = try #require(HiddenEcho(side))
        #expect(!echoes(side))
        hidden.restore()
        #expect(echoes(side))
    }

    @Test("Without a terminal the echo can't be switched off")
    func noTerminal() async throws {
        await #expect(throws: TerminalError.self) { try await withInput([]) { _ = try await $0.hideEcho() } }
    }

    private func echoes(_ descriptor: Int32) -> Bool {
        var settings = termios()
        return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    private func file(_ bytes: String = "") throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try Data(bytes.utf8).write(to: URL(filePath: path))
        return path
    }

    private func refusal(of path: String, limit: Int = ArgumentFile.maximumSize) async -> TerminalError? {
        do {
            _ = try await ArgumentFile(path: path, limit: limit, patience: .milliseconds(200)).text()
            return nil
        } catch { return error as? TerminalError }
    }

    @Test("A folder, a device or a socket is refused, with what to give instead; /dev/null is an empty text")
    func noFile() async throws {
        let folder = FileManager.default.temporaryDirectory.path
        #expect(await refusal(of: folder) == TerminalError(.usage, "“\(folder)” is a folder. Give the path of a file."))
        #expect(
            await refusal(of: "/dev/zero") == TerminalError(.usage, "“/dev/zero” is a device. Give the path of a file.")
        )
        #expect(try await ArgumentFile(path: "/dev/null").text() == "")
        let path = "/tmp/satchel-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isBound == 0)
        #expect(await refusal(of: path) == TerminalError(.usage, "“\(path)” is a socket. Give the path of a file."))
    }

    @Test("A named pipe without a writer is refused; one with a writer is read up to its end")
    func namedPipe() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let refused = try #require(await refusal(of: path))
        #expect(refused.message.contains(path) && refused.message.contains("no program writes to"))
        async let text = ArgumentFile(path: path, patience: .seconds(60)).text()
        let writer = await Task.detached { open(path, O_WRONLY) }.value
        try #require(writer >= 0)
        #expect(write(writer, "one\n", 4) == 4)
        #expect(write(writer, "two\n", 4) == 4)
        close(writer)
        #expect(try await text == "one\ntwo\n")
    }

    @Test("Waiting for a pipe ends when the command is cancelled")
    func cancelledPipe() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let reading = Task { try await ArgumentFile(path: path, patience: .seconds(600)).text() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test("A file over the limit and one that is not UTF-8 are refused by name; one of the limit's size is read")
    func limits() async throws {
        let path = try file("1234")
        defer { unlink(path) }
        #expect(await refusal(of: path, limit: 4) == nil)
        let large = try #require(await refusal(of: path, limit: 3))
        #expect(large.kind == .rejected && large.message.hasPrefix("“\(path)” is larger than"))
        try Data([0x61, 0xFF]).write(to: URL(filePath: path))
        let binary = try #require(await refusal(of: path))
        #expect(binary.kind == .rejected && binary.message.hasPrefix("“\(path)” is not UTF-8 text."))
    }

    @Test("Characters that two reads divide are read whole; one that the end cuts off is refused", arguments: 0..<4)
    func dividedCharacters(offset: Int) async throws {
        let text = String(repeating: "a", count: 65_535 - offset) + String(repeating: "é😀ब", count: 20_000)
        let path = try file(text)
        defer { unlink(path) }
        #expect(try await ArgumentFile(path: path).text() == text)
        for cut in 1...2 {
            try Data(text.utf8.dropLast(cut)).write(to: URL(filePath: path))
            #expect(await refusal(of: path)?.message.contains("is not UTF-8 text.") == true)
        }
    }

    @Test("A file is read and appended to; a missing one is reported by name")
    func files() async throws {
        let terminal = SystemTerminal(program: "test", environment: [:])
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect { try await terminal.contents(of: path) } throws: { error in
            (error as? TerminalError)?.kind == .notFound && (error as? TerminalError)?.message.contains(path) == true
        }
        try await terminal.append("Grüße\n", to: path)
        try await terminal.append("zwei\n", to: path)
        #expect(try await terminal.contents(of: path) == "Grüße\nzwei\n")
    }

    @Test("Nothing is appended to the program's own files")
    func ownFiles() async throws {
        let terminal = SystemTerminal(program: "test", environment: [:])
        let folder = FileManager.default.temporaryDirectory
        let name = UUID().uuidString
        terminal.keep(OwnFiles(in: folder.path) { $0 == name })
        let path = folder.appending(path: name).path
        await #expect(throws: TerminalError(.rejected, OwnFiles.refusal(path))) {
            try await terminal.append("", to: path)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
