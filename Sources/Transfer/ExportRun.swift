// An export: all links in the order of their slugs, read page by page, so that no snapshot of the store is held and memory does
// not grow with it. Links that are added while it runs may be in it or not.
package import Shortening

/// One export. Confined to one thread; everything blocks.
package struct ExportRun {
    private static let pageSize = 1000

    private let format: TransferFormat
    private let source: any RecordSource
    private let progress: (Int) -> Void

    /// `progress` is told after each page how many links were written.
    package init(_ format: TransferFormat, from source: any RecordSource, progress: @escaping (Int) -> Void = { _ in }) {
        self.format = format
        self.source = source
        self.progress = progress
    }

    /// Writes everything to `write`, in pieces of some hundred KiB; the number of links written, without removed ones.
    package func run(_ write: ([UInt8]) throws(TransferError) -> Void) throws(TransferError) -> Int {
        var output: [UInt8] = []
        switch format {
        case .csv: output += CSVWriter.header
        case .jsonl: try writeCollections(write)
        }
        var written = 0
        var last = ""
        while true {
            let page: [LinkRecord]
            do throws(StoreError) {
                page = try source.records(after: last, limit: Self.pageSize)
            } catch {
                throw .store(error)
            }
            for link in page {
                if format == .jsonl { JSONLineWriter.append(link, to: &output) }
                if link.removed != nil { continue }
                if format == .csv { CSVWriter.append(link, to: &output) }
                written += 1
            }
            if !output.isEmpty { try write(output) }
            output.removeAll(keepingCapacity: true)
            progress(written)
            guard let end = page.last else { return written }
            last = end.slug.text
        }
    }

    private func writeCollections(_ write: ([UInt8]) throws(TransferError) -> Void) throws(TransferError) {
        var last = ""
        while true {
            let page: [CollectionRecord]
            do throws(StoreError) {
                page = try source.collections(after: last, limit: Self.pageSize)
            } catch {
                throw .store(error)
            }
            guard let end = page.last else { return }
            var output: [UInt8] = []
            for collection in page { JSONLineWriter.append(collection, to: &output) }
            try write(output)
            last = end.name.text
        }
    }
}
