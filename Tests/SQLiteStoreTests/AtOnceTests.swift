// Look-ups that never wait: what they answer, and what they leave to those who may.
import Dispatch
import Glibc
import Shortening
import Testing

@testable import SQLiteStore

/// Look-ups on an event loop.
@Suite(
    .enabled(
        if: canTellWhatIsInMemory, "the file system of the temporary folder cannot say what the kernel holds of a file"))
struct AtOnceTests {
    @Test func `what is in memory is answered on the calling thread, and what is not there too`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { store.close() }
        let id = try await store.adding("here", "https://example.com/here")
        try await store.adding("gone", "https://example.com/gone")
        #expect(try await store.removing("gone"))
        let slugs = ["here", "never", "gone", "here"]
        // From here on the reader has the pages itself: the kernel may drop its own at any time.
        _ = try await store.targets(slugs)
        let targets = store.findTargetsAtOnce(slugs.map { Slug(stored: $0) })
        try #require(targets.count == 4)
        #expect(targets.map { $0?.id } == [id, nil, nil, id])
        #expect(targets[0]?.longURL.text == "https://example.com/here")
        // A read transaction that stayed open would show the old state for ever.
        try await store.adding("new", "https://example.com/new")
        #expect(try await store.url("new") == "https://example.com/new")
        #expect(store.findTargetsAtOnce([]).isEmpty)
    }

    @Test func `what the kernel holds is answered by a reader that has read nothing yet`() async throws {
        let folder = try TemporaryFolder()
        let first = try folder.open()
        defer { first.close() }
        try await first.adding("here", "https://example.com/")
        // It may drop a page in between, but not each time.
        for _ in 0..<20 {
            let fresh = try folder.open()
            defer { fresh.close() }
            if fresh.findTargetsAtOnce([Slug(stored: "here")]).first??.longURL.text == "https://example.com/" { return }
            #expect(try await fresh.url("here") == "https://example.com/")
        }
        Issue.record("twenty readers found nothing in memory")
    }

    @Test func `what is on the disk is left to those who may wait, and all that comes after it`() async throws {
        let folder = try TemporaryFolder()
        try folder.makeStore(links: 200_000)
        // In the middle of the tree, where opening the file reads nothing, nor the kernel ahead. Not each time: a busy machine's has been
        // seen to hold it.
        let far = ["s100000", "s100001"]
        for _ in 0..<5 {
            try #require(forget(folder.database))
            let store = try folder.open()
            defer { store.close() }
            _ = try await store.targets(["s000000"])
            let first = store.findTargetsAtOnce((["s000000"] + far).map { Slug(stored: $0) })
            if first.count == 3 { continue }
            #expect(first.map { $0?.longURL.text } == ["https://example.com/0"], "the first is known and the second is not")
            let urls = try await store.targets(far).map { $0?.longURL.text }
            #expect(urls == ["https://example.com/100000", "https://example.com/100001"])
            #expect(store.findTargetsAtOnce(far.map { Slug(stored: $0) }).map { $0?.longURL.text } == urls)
            return
        }
        Issue.record("five times all was in memory")
    }

    @Test func `a reader in use is not waited for`() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.open { $0.readers = 1 }
        defer { store.close() }
        try await store.adding("here", "https://example.com/")
        let (isHeld, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.readers.idlest.ask(
            { _ throws(StoreError) in
                isHeld.signal()
                goesOn.wait()
            }, done: { _ in })
        hold(isHeld)
        #expect(store.findTargetsAtOnce([Slug(stored: "here")]).isEmpty)
        goesOn.signal()
        #expect(try await store.url("here") == "https://example.com/")
        #expect(store.findTargetsAtOnce([Slug(stored: "here")]).count == 1)
    }

    @Test func `a closed store answers nothing at once`() throws {
        let store = try TemporaryFolder().open()
        store.close()
        #expect(store.findTargetsAtOnce([Slug(stored: "here")]).isEmpty)
    }
}

/// Not a thread that Swift's concurrency counts on, in a test.
private func hold(_ semaphore: DispatchSemaphore) { semaphore.wait() }

/// Has the kernel drop what it holds of a file that nobody has open. It keeps pages that are just being looked at, so that is asked
/// for until none is left; returns whether that is so after at most some seconds.
private func forget(_ path: String) -> Bool {
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    for _ in 0..<200 {
        fsync(file)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        if pagesInMemory(file) == 0 { return true }
        usleep(20_000)
    }
    return false
}

/// How many pages of a file the kernel holds (mincore(2)).
private func pagesInMemory(_ file: Int32) -> Int {
    let size = Int(lseek(file, 0, SEEK_END))
    guard size > 0, let map = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), unsafe map != MAP_FAILED else {
        return 0
    }
    defer { unsafe munmap(map, size) }
    var states = [UInt8](repeating: 0, count: (size + Int(getpagesize()) - 1) / Int(getpagesize()))
    guard unsafe mincore(map, size, &states) == 0 else { return 0 }
    return states.count { $0 & 1 == 1 }
}

/// Tried on a store of its own.
let canTellWhatIsInMemory: Bool = {
    guard let folder = try? TemporaryFolder(), let store = try? folder.open() else { return true }
    defer { store.close() }
    _ = store.findTargetsAtOnce([Slug(stored: "any")])
    return store.readers.askIfFree { $0.connection.withoutWaiting { true } ?? false } ?? true
}()
