import Testing

@testable import Exposition

@Suite struct ProtobufWriterTests {
    private func bytes(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 16)
        write(&writer)
        return writer.finish()
    }

    @Test("The examples of the format's own description")
    func examples() {
        #expect(bytes { $0.varint(1, 150) } == [0x08, 0x96, 0x01])
        #expect(bytes { $0.string(2, "testing") } == [0x12, 0x07] + Array("testing".utf8))
        #expect(bytes { $0.message(3) { $0.varint(1, 150) } } == [0x1a, 0x03, 0x08, 0x96, 0x01])
        let packed = bytes { $0.packed(6) { for element: UInt64 in [3, 270, 86942] { $0.element(varint: element) } } }
        #expect(packed == [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05])
        #expect(bytes { $0.int64(1, -2) } == [0x08, 0xfe] + [UInt8](repeating: 0xff, count: 8) + [0x01])
    }

    @Test(
        "Zigzag numbers",
        arguments: [
            (0, 0), (-1, 1), (1, 2), (-2, 3), (0x7fff_ffff, 0xffff_fffe), (-0x8000_0000, 0xffff_ffff),
            (Int64.max, UInt64.max - 1), (Int64.min, UInt64.max),
        ])
    func zigzag(value: Int64, encoded: UInt64) {
        #expect(bytes { $0.zigzag(1, value) } == bytes { $0.varint(1, encoded) })
        #expect(bytes { $0.element(zigzag: value) } == bytes { $0.element(varint: encoded) })
    }

    @Test("Numbers of eight bytes are little-endian")
    func fixed() {
        #expect(bytes { $0.fixed64(1, 0x0102_0304_0506_0708) } == [0x09, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(bytes { $0.double(1, 1) } == [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
        #expect(bytes { $0.element(double: -2) } == bytes { $0.element(fixed64: 0xc000_0000_0000_0000) })
    }

    @Test("A varint takes no more bytes than its bits need, at every width")
    func widths() {
        for bit in 0..<64 {
            for value in [UInt64(1) << UInt64(bit), .max >> UInt64(63 - bit)] {
                let encoded = bytes { $0.element(varint: value) }
                #expect(encoded.count == bit / 7 + 1)
                var reader = ProtobufReader(encoded)
                #expect(reader.varint() == value && reader.isAtEnd)
            }
        }
    }

    @Test("Messages of any length and depth read back, whatever length came before them")
    func nesting() {
        let lengths = [0, 1, 127, 128, 3, 16_384, 16_383, 0, 2_097_152, 5, 200]
        let encoded = bytes { writer in
            for length in lengths {
                writer.message(4) {
                    $0.varint(1, UInt64(length))
                    $0.message(4) { $0.bytes(2, [UInt8](repeating: UInt8(length & 0xff), count: length)) }
                    $0.varint(3, UInt64(length))
                }
            }
        }
        var reader = ProtobufReader(encoded)
        for length in lengths {
            #expect(reader.tag() == (4, 2))
            var outer = reader.counted()
            #expect(outer.tag() == (1, 0) && outer.varint() == UInt64(length))
            #expect(outer.tag() == (4, 2))
            var inner = outer.counted()
            #expect(inner.tag() == (2, 2))
            #expect(inner.counted().rest == [UInt8](repeating: UInt8(length & 0xff), count: length)[...])
            #expect(inner.isAtEnd && outer.tag() == (3, 0) && outer.varint() == UInt64(length) && outer.isAtEnd)
        }
        #expect(reader.isAtEnd)
    }

    @Test("Delimited messages follow one another with nothing but their lengths between")
    func delimited() {
        let encoded = bytes { writer in
            for length in [0, 300, 2] { writer.delimited { $0.bytes(1, [UInt8](repeating: 7, count: length)) } }
        }
        var reader = ProtobufReader(encoded)
        for length in [0, 300, 2] {
            var message = reader.counted()
            #expect(message.tag() == (1, 2) && message.counted().rest.count == length && message.isAtEnd)
        }
        #expect(reader.isAtEnd)
    }

    @Test("Large field numbers, booleans, invalid UTF-8 and what was encoded before")
    func others() {
        #expect(bytes { $0.bool(536_870_911, true) } == [0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01])
        #expect(bytes { $0.bool(1, false) } == [0x08, 0x00])
        let broken = String(decoding: [0x61, 0xff], as: UTF8.self)
        #expect(bytes { $0.string(1, broken) } == [0x0a, 0x04, 0x61, 0xef, 0xbf, 0xbd])
        #expect(bytes { $0.message(2) { $0.append(encoded: [0x08, 0x01]) } } == [0x12, 0x02, 0x08, 0x01])
    }
}
