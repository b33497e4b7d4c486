// How a Squeeze server reads `?url=`, written a second time and as simply as it goes: the clients it was made for escape
// the long URL hardly at all, half or wholly, and ours has to come through that reading unchanged.
import Foundation

/// The long URL in a request line such as `GET /Squeeze.svc/text/KEY?url=… HTTP/1.1`.
func longURL(inRequest head: String) -> String? {
    let target = head.split(separator: " ", maxSplits: 2)[1]
    guard let question = target.firstIndex(of: "?") else { return nil }
    let query = target[target.index(after: question)...]
    guard query.hasPrefix("url=") else { return nil }
    let rest = query.dropFirst(4)
    let segment = rest.prefix { $0 != "&" }
    let isForm =
        segment.wholeMatch(of: /[A-Za-z0-9\-_.~!'()*%+]*/) != nil && segment.prefixMatch(of: /[A-Za-z]+%3[Aa]/) != nil
    let value = isForm ? String(segment.replacing("+", with: " ")) : String(rest)
    return value.removingPercentEncoding
}
