// One setting as the table lists it: its name, its place among the settings, and its kind.

/// A setting's name, meaning and rules.
package struct SettingDefinition: Sendable {
    /// Group and name: `limits.url`.
    package let key: String
    /// One sentence for people.
    package let sentence: String
    /// What a value may be, to stand after «allowed is».
    package let allowed: String
    /// Whether its value must never be shown.
    package let isSecret: Bool
    /// Puts a value into the settings; false, and nothing is changed, where it is not allowed.
    let apply: @Sendable (SettingInput, inout Settings) -> Bool
    private let read: @Sendable (Settings) -> String

    init<Value>(
        _ key: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ kind: SettingKind<Value>,
        _ sentence: String,
        isSecret: Bool = false
    ) {
        self.key = key
        self.sentence = sentence
        self.isSecret = isSecret
        allowed = kind.allowed
        apply = { input, settings in
            guard let value = kind.parse(input) else { return false }
            settings[keyPath: path] = value
            return true
        }
        read = { kind.show($0[keyPath: path]) }
    }

    /// Its name in the environment: `SHORTY_LIMITS_URL`.
    package var variable: String {
        "SHORTY_"
            + String(
                decoding: key.utf8.map { byte in
                    switch byte {
                    case UInt8(ascii: "."), UInt8(ascii: "-"): UInt8(ascii: "_")
                    default: byte & ~0x20  // keys hold only small letters besides
                    }
                }, as: UTF8.self)
    }

    /// The variable that names a file with the value; nil for what is not secret.
    package var fileVariable: String? { isSecret ? variable + "_FILE" : nil }

    /// The value in `settings` as it would stand in the file; `"***"` for a secret that is set.
    package func shown(in settings: Settings) -> String {
        let value = read(settings)
        return isSecret && value != "null" ? "\"***\"" : value
    }
}
