// swift-tools-version:5.9
import PackageDescription

let package = Package(
  name: "piwork",
  platforms: [.macOS(.v13)],
  products: [.library(name: "Piwork", targets: ["Piwork"])],
  targets: [
    .target(name: "Piwork"),
    .executableTarget(name: "first", dependencies: ["Piwork"], path: "Examples/first"),
    .testTarget(name: "PiworkTests", dependencies: ["Piwork"]),
  ]
)
