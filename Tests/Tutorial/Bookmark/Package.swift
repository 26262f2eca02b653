// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "bookmark",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Bookmark", targets: ["Bookmark"])],
    dependencies: [.package(name: "satchel", path: "../../..")],
    targets: [
        .target(
            name: "Bookmark",
            dependencies: [
                .product(name: "ControllerKit", package: "satchel"),
                .product(name: "Controllers", package: "satchel"),
                .product(name: "Notebook", package: "satchel"),
                .product(name: "Records", package: "satchel"),
            ],
            path: "Sources"),
        .testTarget(
            name: "BookmarkTests",
            dependencies: [
                "Bookmark",
                .product(name: "LineView", package: "satchel"),
                .product(name: "SatchelScreens", package: "satchel"),
                .product(name: "SyncEngine", package: "satchel"),
                .product(name: "TestSupport", package: "satchel"),
            ],
            path: "Tests"),
    ]
)
