/// What this build is called.
package enum Release {
    /// The version that `--version`, `ringside_build_info` and the service information show.
    package static let version = "0.1.0"
}
