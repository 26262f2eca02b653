import Foundation
import PrivateFiles
import Testing

@Suite struct OwnFilesTests {
    private let folder: URL
    private let own: OwnFiles

    /// A folder `home` with the program's file `data` and its folder `drafts`, next to a folder `work`.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")
        let home = folder.appending(path: "home")
        for name in ["home/drafts", "work"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        #expect(FileManager.default.createFile(atPath: home.appending(path: "data").path, contents: nil))
        own = OwnFiles(in: home.path) { ["data", "drafts", "lock"].contains($0) }
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    @Test(arguments: [
        "home/data", "home/lock", "home/drafts", "home/drafts/text", "home/drafts/none/text", "work/../home/data",
        "home/./data",
    ])
    func `a file is recognised by its name, whether or not it exists`(name: String) {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(own.contains(folder.path + "/" + name))
    }

    @Test(arguments: ["home/export", "home/data.json", "work/data", "work", "home", "none/data"])
    func `other files are not the program's`(name: String) {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(!own.contains(path(name)))
    }

    @Test func `a file is recognised through links`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = FileManager.default
        try files.linkItem(atPath: path("home/data"), toPath: path("work/hard"))
        try files.createSymbolicLink(atPath: path("work/soft"), withDestinationPath: "../home/lock")
        try files.createSymbolicLink(atPath: path("work/second"), withDestinationPath: "soft")
        try files.createSymbolicLink(atPath: path("work/folder"), withDestinationPath: path("home"))
        try files.createSymbolicLink(atPath: path("work/loop"), withDestinationPath: "loop")
        for name in ["work/hard", "work/soft", "work/second", "work/folder/data", "work/folder/drafts/text"] {
            #expect(own.contains(path(name)), "\(name)")
        }
        #expect(!own.contains(path("work/folder/export")))
        #expect(!own.contains(path("work/loop")))
    }

    @Test func `a file that is a link itself is recognised by its target`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.removeItem(atPath: path("home/drafts"))
        try FileManager.default.createSymbolicLink(atPath: path("home/drafts"), withDestinationPath: path("work"))
        #expect(own.contains(path("work/text")))
    }
}
