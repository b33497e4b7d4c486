// Help for those who mistyped a name.

/// The known name that is spelled most like `name`: at most a third of its letters, and not more than three, are other,
/// missing, too many or swapped with their neighbour. Nil where none is that near. Letter case does not count.
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    for candidate in known {
        let distance = editDistance(Array(name.lowercased().utf8.prefix(80)), Array(candidate.lowercased().utf8))
        if distance <= max(1, min(3, candidate.utf8.count / 3)), distance < best?.distance ?? .max {
            best = (candidate, distance)
        }
    }
    return best?.name
}

/// Restricted Damerau-Levenshtein distance, in time and space proportional to the product of the lengths.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var rows = [Array(0...right.count)]
    for (i, byte) in left.enumerated() {
        var row = [i + 1]
        for (j, other) in right.enumerated() {
            var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (byte == other ? 0 : 1))
            if i > 0, j > 0, byte == right[j - 1], left[i - 1] == other { least = min(least, rows[i - 1][j - 1] + 1) }
            row.append(least)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}
