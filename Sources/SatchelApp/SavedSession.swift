internal import ControllerKit
internal import Foundation
internal import LineView
internal import LocalStore
internal import PrivateFiles

extension LineSession.Memory {
    /// Keeps what a prompt has open in a file of the home.
    static func file(of home: Home) -> Self {
        let file = PrivateFile(path: home.directory.appending(path: "prompt.json").path)
        return Self(
            load: {
                // A session begins with nothing open if the file is missing or of another version.
                guard let data = FileManager.default.contents(atPath: file.path) else { return SessionMemory() }
                return (try? JSONDecoder().decode(SessionMemory.self, from: data)) ?? SessionMemory()
            },
            save: { memory in
                guard let data = try? JSONEncoder().encode(memory) else { return }
                // Losing it costs the next prompt its open screens, and nothing else.
                try? file.replace(with: data)
            })
    }
}
