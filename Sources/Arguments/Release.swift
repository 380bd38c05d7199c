/// The identity of this build.
package enum Release {
    /// The version in `--version`, `ringside_build_info` and the service information.
    package static let version = "0.1.0"
}
