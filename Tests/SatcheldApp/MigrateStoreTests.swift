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
            try place.checkHasDatabase()
        } throws: { "\($0)".contains("there is no database in /dev/null/none") }
    }
}
