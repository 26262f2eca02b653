// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "book",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Book", targets: ["Book"])],
    dependencies: [.package(name: "satchel", path: "../../..")],
    targets: [
        .target(
            name: "Book",
            dependencies: [.product(name: "Records", package: "satchel")],
            path: "Sources/Book"),
        .executableTarget(
            name: "shelf",
            dependencies: [
                "Book",
                .product(name: "ControllerKit", package: "satchel"),
                .product(name: "Records", package: "satchel"),
                .product(name: "SatchelApp", package: "satchel"),
            ],
            path: "Sources/Shelf"),
        .testTarget(
            name: "BookTests",
            dependencies: [
                "Book",
                .product(name: "ControllerKit", package: "satchel"),
                .product(name: "Controllers", package: "satchel"),
                .product(name: "Interchange", package: "satchel"),
                .product(name: "JSONLinesView", package: "satchel"),
                .product(name: "LineView", package: "satchel"),
                .product(name: "LocalStore", package: "satchel"),
                .product(name: "MCPView", package: "satchel"),
                .product(name: "Notebook", package: "satchel"),
                .product(name: "Records", package: "satchel"),
                .product(name: "SatchelApp", package: "satchel"),
                .product(name: "SatchelScreens", package: "satchel"),
                .product(name: "SyncEngine", package: "satchel"),
                .product(name: "Terminal", package: "satchel"),
                .product(name: "TestSupport", package: "satchel"),
                .product(name: "WebPageView", package: "satchel"),
            ],
            path: "Tests"),
    ]
)
