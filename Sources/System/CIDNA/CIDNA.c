#include "CIDNA.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unicode/uidna.h>

// By ICU's macros every one of its names carries its version; so does the library's.
#define AS_TEXT(name) #name
#define NAME(macro) AS_TEXT(macro)
#define LIBRARY "libicuuc.so." NAME(U_ICU_VERSION_MAJOR_NUM)

struct idna_processor {
    UIDNA *idna;
    __typeof__(&uidna_nameToASCII_UTF8) name_to_ascii;
};

const char *idna_missing_library(void) {
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return LIBRARY;
    dlclose(library);
    return NULL;
}

struct idna_processor *idna_open(void) {
    const uint32_t options = UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
                             | UIDNA_NONTRANSITIONAL_TO_UNICODE;
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return NULL;
    __typeof__(&uidna_openUTS46) open = (__typeof__(&uidna_openUTS46))dlsym(library, NAME(uidna_openUTS46));
    struct idna_processor processor = {
        .name_to_ascii = (__typeof__(&uidna_nameToASCII_UTF8))dlsym(library, NAME(uidna_nameToASCII_UTF8)),
    };
    UErrorCode status = U_ZERO_ERROR;
    if (open && processor.name_to_ascii) processor.idna = open(options, &status);
    struct idna_processor *opened = processor.idna && U_SUCCESS(status) ? malloc(sizeof *opened) : NULL;
    if (opened) *opened = processor;
    return opened;
}

int32_t idna_to_ascii(
    const struct idna_processor *processor, const char *name, int32_t length, char *result, int32_t capacity) {
    // What ICU reports and the standard does not mind: the hyphens of CheckHyphens, the lengths of VerifyDnsLength.
    const uint32_t tolerated = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG
                               | UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    UErrorCode status = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t needed = processor->name_to_ascii(processor->idna, name, length, result, capacity, &info, &status);
    if (info.errors & ~tolerated) return -1;
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? needed : -1;
}
