// The files under web/flowers/. A new drawing gets an array and a line in the table.
#include "Flowers.h"

static const unsigned char anemone[] = {
#embed "web/flowers/anemone.svg"
};

static const unsigned char bellflower[] = {
#embed "web/flowers/bellflower.svg"
};

static const unsigned char bells_of_ireland[] = {
#embed "web/flowers/bells-of-ireland.svg"
};

static const unsigned char buttercup[] = {
#embed "web/flowers/buttercup.svg"
};

static const unsigned char cornflower[] = {
#embed "web/flowers/cornflower.svg"
};

static const unsigned char daffodil[] = {
#embed "web/flowers/daffodil.svg"
};

static const unsigned char forget_me_not[] = {
#embed "web/flowers/forget-me-not.svg"
};

static const unsigned char hellebore[] = {
#embed "web/flowers/hellebore.svg"
};

static const unsigned char poppy[] = {
#embed "web/flowers/poppy.svg"
};

static const unsigned char sunflower[] = {
#embed "web/flowers/sunflower.svg"
};

static const unsigned char tulip[] = {
#embed "web/flowers/tulip.svg"
};

static const unsigned char zinnia[] = {
#embed "web/flowers/zinnia.svg"
};

static const struct asset_flower flowers[] = {
    {"anemone", anemone, sizeof anemone},
    {"bellflower", bellflower, sizeof bellflower},
    {"bells-of-ireland", bells_of_ireland, sizeof bells_of_ireland},
    {"buttercup", buttercup, sizeof buttercup},
    {"cornflower", cornflower, sizeof cornflower},
    {"daffodil", daffodil, sizeof daffodil},
    {"forget-me-not", forget_me_not, sizeof forget_me_not},
    {"hellebore", hellebore, sizeof hellebore},
    {"poppy", poppy, sizeof poppy},
    {"sunflower", sunflower, sizeof sunflower},
    {"tulip", tulip, sizeof tulip},
    {"zinnia", zinnia, sizeof zinnia},
};

const struct asset_flower *asset_flower(size_t index) {
    return index < sizeof flowers / sizeof flowers[0] ? &flowers[index] : NULL;
}
