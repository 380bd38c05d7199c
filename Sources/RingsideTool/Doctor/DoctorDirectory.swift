internal import Glibc
internal import Platform
internal import RingReader

/// The ring directory: whether it can hold rings, who may own them, and what else is in it.
struct DoctorDirectory {
    let directory: RingDirectory
    /// The size of the largest ring there, or of a ring of the default size.
    let ringBytes: Int
    /// Whether users with a login own rings there.
    let hasRingsOfPeople: Bool

    private var name: String { "directory \(directory.path)" }

    /// Whether the directory exists: without it nothing else can be checked.
    var isThere: Bool {
        var status = stat()
        return stat(directory.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    func findings() -> [DoctorFinding] {
        guard isThere else {
            return [
                .fail(
                    name, "it is missing, so no bot can make a ring there",
                    mend: "create it, or name the right one by --ring-dir or RINGSIDE_DIR")
            ]
        }
        return [permissions, fileSystem, space].compactMap { $0 } + hostSwitch + removeIPC
    }

    private var permissions: DoctorFinding {
        var status = stat()
        stat(directory.path, &status)
        let isOpenToAll = status.st_mode & S_IWOTH != 0
        if isOpenToAll, status.st_mode & S_ISVTX == 0 {
            return .warn(
                name, "anybody may remove or replace any ring there",
                mend: "chmod +t \(directory.path), or give it to one group: chmod 2770")
        }
        guard access(directory.path, R_OK | W_OK | X_OK) == 0 else {
            return .warn(
                name, "uid \(geteuid()) may not make rings there",
                mend: "that matters to bots of this user only: give their group the right to write")
        }
        return .ok(name, "rings can be made and found there")
    }

    private var fileSystem: DoctorFinding? {
        guard let type = MachineLimits.fileSystemType(of: directory.path) else { return nil }
        let inMemory: [Int64] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6]  // tmpfs, ramfs, hugetlbfs: statfs(2)
        if inMemory.contains(type) { return .ok("file system", "rings lie in memory") }
        return .warn(
            "file system",
            "rings lie on a disk (type 0x\(String(type, radix: 16))): its write-back can stall a bot in an emit",
            mend: "use /dev/shm or another tmpfs")
    }

    private var space: DoctorFinding? {
        var system = statvfs()
        guard statvfs(directory.path, &system) == 0 else { return nil }
        let free = UInt64(system.f_bavail) &* UInt64(system.f_frsize)
        let found =
            "\(free >> 20) MiB free, a ring takes \(Figures.fixed(Double(ringBytes) / 1048576, decimals: 1)) MiB"
        let mend = "make it larger (mount -o remount,size=...; a container: --shm-size), or 'ringside sweep'"
        if free < UInt64(ringBytes) {
            return .fail("free space", "\(found): the next bot runs without telemetry", mend: mend)
        }
        if free < 4 * UInt64(ringBytes) { return .warn("free space", found, mend: mend) }
        return .ok("free space", found)
    }

    private var hostSwitch: [DoctorFinding] {
        let hostSwitch = HostSwitch(in: directory)
        guard let setting = hostSwitch.setting else { return [.ok("host-wide switch", "none is set")] }
        let mend = "'ringside control --all --enable --sampling 1/1' takes it away"
        guard let word = setting.word else {
            return [.warn("host-wide switch", "\(hostSwitch.path) says nothing that bots understand", mend: mend)]
        }
        let whom = setting.owner == 0 ? "all bots" : "bots of uid \(setting.owner) only"
        return [.warn("host-wide switch", "new rings of \(whom) begin with: \(word.switchText)", mend: mend)]
    }

    /// Warns of logind.conf(5): files that a user leaves in /dev/shm are removed when the user's last session ends.
    private var removeIPC: [DoctorFinding] {
        guard hasRingsOfPeople, directory.path == "/dev/shm", access("/run/systemd/system", F_OK) == 0,
            !Self.removeIPCIsOff
        else { return [] }
        return [
            .warn(
                "RemoveIPC",
                "systemd removes a user's rings when the user logs out, even while a bot writes them",
                mend:
                    "run bots as a system user, set RemoveIPC=no in /etc/systemd/logind.conf, or use another directory")
        ]
    }

    private static var removeIPCIsOff: Bool {
        let folder = "/etc/systemd/logind.conf.d"
        let files = ((try? RingDirectory(path: folder).fileNames()) ?? []).filter { $0.hasSuffix(".conf") }.sorted()
        let lines = (["/etc/systemd/logind.conf"] + files.map { "\(folder)/\($0)" }).flatMap {
            SmallFile.lines(of: $0) ?? []
        }
        return lines.last { $0.hasPrefix("RemoveIPC=") }.map {
            ["no", "false", "off", "0"].contains(String($0.dropFirst(10)))
        }
            ?? false
    }
}
