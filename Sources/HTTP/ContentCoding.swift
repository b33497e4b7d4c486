// How a request's content is packed, by its Content-Encoding fields (RFC 9110 §8.4). It must not unpack anything.

/// The codings of content that are taken.
enum ContentCoding {
    case identity
    case gzip

    /// Reads all Content-Encoding fields of the request. Throws 415 for any other coding, and for more than one: nobody packs an
    /// add twice, and each layer would need a limit of its own.
    init(_ request: borrowing Request) throws(RequestFault) {
        var (packings, isKnown) = (0, true)
        request.forEachField("content-encoding") { value in
            forEachListMember(value) { coding in
                // RFC 9110 §12.5.3: "identity" stands for no coding; §8.4.1.3: "x-gzip" is to be taken for "gzip".
                if matchesIgnoringCase(coding, "identity") { return }
                packings += 1
                if !matchesIgnoringCase(coding, "gzip"), !matchesIgnoringCase(coding, "x-gzip") { isKnown = false }
            }
        }
        guard isKnown, packings <= 1 else {
            throw RequestFault(.unsupportedMediaType, "The only content coding understood here is gzip, once.")
        }
        self = packings == 0 ? .identity : .gzip
    }
}
