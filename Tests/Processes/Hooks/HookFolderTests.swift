import Foundation
import Testing

@testable import Processes

@Suite("The folder of hooks")
struct HookFolderTests {
    @Test("An event's hooks have its name, alone or with a suffix, and are in the order of names")
    func names() throws {
        let scripts = try HookScripts()
        for name in ["on-add", "on-add-notify", "on-add-b", "on-address", "on-edit", "on-add~", "README"] {
            try scripts.write(name, "true")
        }
        let listing = HookFolder(path: scripts.folder).listing(of: "on-add")
        #expect(listing.programs == ["on-add", "on-add-b", "on-add-notify"].map { scripts.folder + "/" + $0 })
        #expect(listing.refused.isEmpty)
        let names = ["on-add", "on-edit"]
        #expect(HookFolder(path: scripts.folder).strangers(among: names) == ["on-address"])
        #expect(HookFolder(path: scripts.folder).listing(of: "on-sync") == .init())
    }

    @Test(
        "A program that isn't executable or can be written by others is refused, with the reason",
        arguments: [(0o644, "executable"), (0o775, "others"), (0o757, "others")])
    func refused(mode: Int, word: String) throws {
        let scripts = try HookScripts()
        let path = try scripts.write("on-add", "true", mode: mode)
        // Root may run any file.
        let listing = HookFolder(path: scripts.folder).listing(of: "on-add")
        #expect(listing.programs.isEmpty && listing.refused.map(\.path) == [path])
        #expect(listing.refused.first?.reason.contains(word) == true)
    }

    @Test("In a folder that others can write, nothing is run")
    func folder() throws {
        let scripts = try HookScripts()
        try scripts.write("on-add", "true")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scripts.folder)
        let listing = HookFolder(path: scripts.folder).listing(of: "on-add")
        #expect(listing.programs.isEmpty && listing.refused.map(\.path) == [scripts.folder])
    }

    @Test("A folder among the programs, a dangling link, and a missing folder do no harm")
    func oddities() throws {
        let scripts = try HookScripts()
        let folder = scripts.folder + "/on-add-folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: scripts.folder + "/on-add-link", withDestinationPath: "/no/such/file")
        let listing = HookFolder(path: scripts.folder).listing(of: "on-add")
        #expect(listing.programs.isEmpty && listing.refused.count == 2)
        let missing = HookFolder(path: scripts.folder + "/none")
        #expect(!missing.exists && missing.listing(of: "on-add") == .init())
    }
}
