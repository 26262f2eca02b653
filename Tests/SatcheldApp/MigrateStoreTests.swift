import ArgumentParser
import Testing

@testable import SatcheldApp

@Suite struct MigrateStoreTests {
    @Test(arguments: [
        ("sqlite:/var/lib/satcheld", "sqlite:/var/lib/satcheld", true), ("SQLite:/data/", "sqlite:/data", true),
        ("postgres://ada:secret@h/d", "postgres://ada:…@h/d", false),
    ])
    func aPlaceIsADirectoryOrADatabase(text: String, name: String, isSQLite: Bool) throws {
        let place = try #require(MovedPlace(text))
        #expect(place.name == name)
        #expect(place.setting.isSQLite == isSQLite)
    }

    @Test(arguments: ["", "sqlite", "sqlite:", "/var/lib/satcheld", "postgres:"])
    func anythingElseIsNoPlace(text: String) {
        #expect(MovedPlace(text) == nil)
    }

    @Test(arguments: [
        ["--from", "sqlite:/a", "--to", "sqlite:/a/"], ["--from", "sqlite:/a"],
        ["--from", "sqlite:/a", "--to", "sqlite"],
    ])
    func aWrongCommandLineIsRefused(words: [String]) {
        #expect(throws: (any Error).self) { try MigrateStore.parse(words) }
    }

    @Test func aSourceWithoutADatabaseIsRefusedAndNotCreated() throws {
        let place = try #require(MovedPlace("sqlite:/dev/null/none"))
        #expect {
            try place.setting.checkHasDatabase()
        } throws: { "\($0)".contains("there is no database in /dev/null/none") }
    }

    @Test(arguments: [["--mark", "file"], ["--mark", "file", "--backup-access"], ["--backup-access"], []])
    func flagsOfARestoreThatExcludeEachOtherAreRefused(words: [String]) {
        #expect(throws: (any Error).self) { try Restore.parse(words) }
    }

    @Test(arguments: [["file"], ["file", "--backup-access"], ["--mark"], ["--mark", "--backup-access"]])
    func otherFlagsOfARestoreAreAccepted(words: [String]) throws {
        let restore = try Restore.parse(words)
        #expect(restore.mark == words.contains("--mark"))
        #expect(restore.backupAccess == words.contains("--backup-access"))
    }

    @Test(
        arguments: [
            (nil, ["devices and app passwords are as in the backup", "satcheld user reset-password"]),
            (0, ["ended 0 sessions, of devices and app passwords", "satcheld user reset-password"]),
            (1, ["ended 1 session, of devices", "passwords, invitations and disabled accounts are as in the backup"]),
        ] as [(Int?, [String])])
    func aMarkSaysWhoMayComeIn(count: Int?, words: [String]) {
        let text = Restore.access(signedOut: count).joined(separator: "\n")
        for word in words { #expect(text.contains(word)) }
    }
}
