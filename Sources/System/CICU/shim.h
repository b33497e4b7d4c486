// ICU's names carry its version (uidna_openUTS46_72) by way of macros, which Swift does not see; these functions do not.
#include <unicode/uidna.h>

/// uidna_openUTS46; NULL where ICU finds no data.
static inline UIDNA *icu_openUTS46(uint32_t options) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNA *idna = uidna_openUTS46(options, &status);
    return U_SUCCESS(status) ? idna : NULL;
}

/// uidna_nameToASCII_UTF8 of `length` bytes. Returns the bytes that the result needs, more than `capacity` where it did not
/// fit, or -1 where ICU itself failed. `errors` gets the UIDNA_ERROR_ bits of the name.
static inline int32_t icu_nameToASCII(
    const UIDNA *idna, const char *name, int32_t length, char *result, int32_t capacity, uint32_t *errors) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t needed = uidna_nameToASCII_UTF8(idna, name, length, result, capacity, &info, &status);
    *errors = info.errors;
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? needed : -1;
}
