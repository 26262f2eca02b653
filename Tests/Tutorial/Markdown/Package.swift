// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "markdown-view",
    platforms: [.macOS(.v15)],
    products: [.library(name: "MarkdownView", targets: ["MarkdownView"])],
    dependencies: [.package(name: "satchel", path: "../../..")],
    targets: [
        .target(
            name: "MarkdownView",
            dependencies: [.product(name: "ControllerKit", package: "satchel")],
            path: "Sources"),
        .testTarget(
            name: "MarkdownViewTests",
            dependencies: [
                "MarkdownView",
                .product(name: "Controllers", package: "satchel"),
                .product(name: "LineView", package: "satchel"),
                .product(name: "TestSupport", package: "satchel"),
            ],
            path: "Tests"),
    ]
)
