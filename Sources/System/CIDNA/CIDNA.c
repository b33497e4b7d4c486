#include "CIDNA.h"

#include <unicode/uidna.h>

struct idna_processor *idna_open(void) {
    const uint32_t options = UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
                             | UIDNA_NONTRANSITIONAL_TO_UNICODE;
    UErrorCode status = U_ZERO_ERROR;
    UIDNA *idna = uidna_openUTS46(options, &status);
    return U_SUCCESS(status) ? (struct idna_processor *)idna : NULL;
}

int32_t idna_to_ascii(
    const struct idna_processor *processor, const char *name, int32_t length, char *result, int32_t capacity) {
    // What ICU reports and the standard does not mind: the hyphens of CheckHyphens, the lengths of VerifyDnsLength.
    const uint32_t tolerated = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG
                               | UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    UErrorCode status = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t needed = uidna_nameToASCII_UTF8((const UIDNA *)processor, name, length, result, capacity, &info, &status);
    if (info.errors & ~tolerated) return -1;
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? needed : -1;
}
