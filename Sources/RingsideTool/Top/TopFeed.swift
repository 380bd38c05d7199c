internal import Arguments
internal import Platform
internal import Synchronization

/// Asks for the figures of `ringside top` on a thread of its own, so that keys are obeyed while a collector is slow to
/// answer.
final class TopFeed: Sendable {
    /// The last figures, and what is known of their source.
    struct Picture: Sendable {
        var view: CollectorView
        /// The view before it, for rates; the same one for the first.
        var previous: CollectorView
        /// Why there are no newer figures; nil if there are.
        var silence: String?
        var place: String
        var remark: String?
        /// Higher for each later picture.
        var number = 0
    }

    private let picture: Mutex<Picture>
    private let ending = Flag()

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - source: Used by that thread alone from now on.
    ///   - first: The figures that it gave already.
    /// - Throws: The system's refusal of a thread.
    init(_ source: sending TopSource, first: CollectorView, intervalNanoseconds: Int64) throws {
        picture = Mutex(Picture(view: first, previous: first, place: source.place, remark: source.remark))
        let owned = Owned(source)
        _ = try NamedThread("figures") { [self] in
            var next = monotonicNow()
            while !ending.isRaised {
                next = max(next + intervalNanoseconds, monotonicNow())
                sleep(untilMonotonic: next)
                ask(owned.source)
            }
        }
    }

    // Unchecked: it is made before the thread, which is its only user.
    private final class Owned: @unchecked Sendable {
        let source: TopSource
        init(_ source: TopSource) { self.source = source }
    }

    /// The last figures. May be read from any thread.
    var latest: Picture { picture.withLock { $0 } }

    /// Ends the thread after its next answer, without waiting for it.
    func end() { ending.raise() }

    private func ask(_ source: TopSource) {
        do {
            let view = try source.latest()
            picture.withLock {
                ($0.previous, $0.view, $0.silence) = (source.place == $0.place ? $0.view : view, view, nil)
                ($0.place, $0.remark) = (source.place, source.remark)
                $0.number += 1
            }
        } catch {
            let problem = (error as? CollectorError)?.problem ?? "\(error)"
            picture.withLock {
                $0.silence = problem
                $0.number += 1
            }
        }
    }
}
