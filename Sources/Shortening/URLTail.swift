// What follows a URL's authority: path, query and fragment (url.spec.whatwg.org, «path start state» to «fragment state»).

enum URLTail {
    /// The three as the standard writes them: dot segments resolved, a backslash of the path as a slash, illegal characters
    /// encoded, each by the rule of its component. Begins with a slash.
    static func serialized(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let hash = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        let mark = text[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        var output: [UInt8] = []
        output.reserveCapacity(text.count + 1)
        appendPath(text[..<mark], to: &output)
        if mark < hash {
            output.append(UInt8(ascii: "?"))
            PercentEncoding.append(text[(mark + 1)..<hash], encoding: PercentEncoding.query, to: &output)
        }
        if hash < text.endIndex {
            output.append(UInt8(ascii: "#"))
            PercentEncoding.append(text[(hash + 1)...], encoding: PercentEncoding.fragment, to: &output)
        }
        return output
    }

    /// `path` is empty or begins with a slash of either kind. In `output` a slash stands before every segment.
    private static func appendPath(_ path: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let segments = path.dropFirst().split(omittingEmptySubsequences: false, whereSeparator: URLRecord.isSlash)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dots(segment) {
            case 1: if isLast { output.append(UInt8(ascii: "/")) }
            case 2:
                // Removing a segment from an empty path does nothing.
                if let slash = output.lastIndex(of: UInt8(ascii: "/")) { output.removeSubrange(slash...) }
                if isLast { output.append(UInt8(ascii: "/")) }
            default:
                output.append(UInt8(ascii: "/"))
                PercentEncoding.append(segment, encoding: PercentEncoding.path, to: &output)
            }
        }
    }

    /// 1 or 2 where the segment is that many dots, each plain or as `%2e`; else 0.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard segment.count <= 6 else { return 0 }
        let decoded = segment.count <= 2 ? Array(segment) : PercentEncoding.decode(segment)
        return decoded.count <= 2 && decoded.allSatisfy { $0 == UInt8(ascii: ".") } ? decoded.count : 0
    }
}
