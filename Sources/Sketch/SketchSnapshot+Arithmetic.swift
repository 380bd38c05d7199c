extension SketchSnapshot {
    /// Returns the exact sum of these counts and others of the same scale.
    package func adding(_ other: SketchSnapshot) -> SketchSnapshot {
        SketchSnapshot(
            scale: scale, positive: Self.sum(positive, other.positive), negative: Self.sum(negative, other.negative),
            zeroCount: zeroCount &+ other.zeroCount)
    }

    /// Returns the exact counts that were added since an earlier state of the same sketch. Returns nil if a count
    /// decreased, because the other snapshot is no earlier state then.
    package func subtracting(_ earlier: SketchSnapshot) -> SketchSnapshot? {
        guard zeroCount >= earlier.zeroCount, let positive = Self.difference(positive, earlier.positive),
            let negative = Self.difference(negative, earlier.negative)
        else { return nil }
        return SketchSnapshot(
            scale: scale, positive: positive, negative: negative, zeroCount: zeroCount - earlier.zeroCount)
    }

    private static func sum(_ a: [Bucket], _ b: [Bucket]) -> [Bucket] {
        if a.isEmpty { return b }
        var sum: [Bucket] = []
        sum.reserveCapacity(a.count + b.count)
        var place = 0
        for bucket in a {
            while place < b.count, b[place].index < bucket.index {
                sum.append(b[place])
                place += 1
            }
            if place < b.count, b[place].index == bucket.index {
                sum.append(Bucket(index: bucket.index, count: bucket.count &+ b[place].count))
                place += 1
            } else {
                sum.append(bucket)
            }
        }
        return sum + b[place...]
    }

    private static func difference(_ now: [Bucket], _ earlier: [Bucket]) -> [Bucket]? {
        var rest: [Bucket] = []
        var place = 0
        for bucket in now {
            guard place < earlier.count, earlier[place].index <= bucket.index else {
                rest.append(bucket)
                continue
            }
            guard earlier[place].index == bucket.index, earlier[place].count <= bucket.count else { return nil }
            let count = bucket.count - earlier[place].count
            if count > 0 { rest.append(Bucket(index: bucket.index, count: count)) }
            place += 1
        }
        return place == earlier.count ? rest : nil
    }
}

extension ExponentialSketch {
    /// Adds the values of a copy of another sketch.
    ///
    /// - Returns: False, and adds nothing, if a sketch cannot have these values: the scale differs, or no double has
    ///   one of the indices.
    package mutating func merge(_ snapshot: SketchSnapshot) -> Bool {
        let content = SketchContent(buckets: snapshot)
        guard content.isValid else { return false }
        for bucket in snapshot.positive {
            positive.add(bucket.count, at: BucketLayout.place(ofBucket: Int(bucket.index)))
            count &+= bucket.count
        }
        for bucket in snapshot.negative {
            negative.add(bucket.count, at: BucketLayout.place(ofBucket: Int(bucket.index)))
            count &+= bucket.count
        }
        zeroCount &+= snapshot.zeroCount
        count &+= snapshot.zeroCount
        return true
    }
}
