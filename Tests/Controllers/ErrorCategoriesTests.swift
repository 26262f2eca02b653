import ControllerKit
import Controllers
import LocalStore
import Testing

@Suite("Categories of errors, which determine exit statuses")
struct ErrorCategoriesTests {
    @Test(
        "A home in which nothing can be saved has the status of a home that can't be used",
        arguments: [
            LocalStoreError.diskFull(path: "/home"), .readOnly(path: "/home", reason: "it belongs to root"),
            .unusable(path: "/home", reason: "no permission"),
        ])
    func home(error: LocalStoreError) {
        #expect(CommandStatus(error.category) == .damaged)
    }
}
