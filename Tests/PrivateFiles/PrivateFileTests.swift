import Foundation
import PrivateFiles
import Testing

@Suite struct PrivateFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    private func put(_ text: String, in name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test(arguments: [nil, "file.new"])
    func `a file is replaced as a whole, and is private to its owner`(draft: String?) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put("former", in: "file", mode: 0o644)
        let reader = try FileHandle(forReadingFrom: URL(filePath: path("file")))
        try PrivateFile(path: path("file")).replace(with: "new".utf8, draft: draft.map(path))
        #expect(try reader.readToEnd() == Data("former".utf8))
        #expect(try text("file") == "new")
        #expect(try mode("file") == 0o600)
        #expect(try names() == ["file"])
    }

    @Test func `a link in the draft's place is replaced, and its target stays`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put("precious", in: "victim")
        try FileManager.default.createSymbolicLink(atPath: path("file.new"), withDestinationPath: path("victim"))
        try PrivateFile(path: path("file")).replace(with: "new".utf8, draft: path("file.new"))
        #expect(try text("victim") == "precious")
        #expect(try text("file") == "new")
        #expect(try names() == ["file", "victim"])
    }

    @Test func `a link in the file's own place is replaced, and its target stays`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put("precious", in: "victim")
        try FileManager.default.createSymbolicLink(atPath: path("file"), withDestinationPath: path("victim"))
        try PrivateFile(path: path("file")).replace(with: "new".utf8)
        #expect(try text("victim") == "precious")
        #expect(try text("file") == "new")
    }

    @Test func `neither the text nor the mode of a draft that a crash left behind is used`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put("a long text of before", in: "file.new", mode: 0o666)
        try PrivateFile(path: path("file")).replace(with: "new".utf8, draft: path("file.new"))
        #expect(try text("file") == "new")
        #expect(try mode("file") == 0o600)
    }

    @Test func `a file that can't be replaced stays, and no draft is left`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(atPath: path("file"), withIntermediateDirectories: true)
        #expect(throws: FileFailure(path: path("file"), code: EISDIR)) {
            try PrivateFile(path: path("file")).replace(with: "new".utf8)
        }
        #expect(try names() == ["file"])
    }

    @Test func `nothing is appended through a link`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try put("precious", in: "victim", mode: 0o644)
        try FileManager.default.createSymbolicLink(atPath: path("file"), withDestinationPath: path("victim"))
        let error = #expect(throws: FileFailure.self) { try PrivateFile(path: path("file")).openForAppending() }
        #expect(error?.reason == "it is a symbolic link, which isn't followed")
        #expect(throws: FileFailure.self) { try PrivateFile(path: path("file")).protect() }
        #expect(try mode("victim") == 0o644)
    }

    @Test func `permissions of others are detected and removed`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = PrivateFile(path: path("file"))
        #expect(file.permissionsOfOthers == nil)
        try put("text", in: "file", mode: 0o644)
        #expect(file.permissionsOfOthers == 0o044)
        try file.protect()
        #expect(file.permissionsOfOthers == 0)
        #expect(try text("file") == "text")
    }
}
