import Testing

@testable import Shortening
