"""The links of the benchmark: link number n has a slug that is worked out from n, here and in requests.lua alike."""

# A product with a number that shares no factor with the space's size hits every place of the space once, so different numbers
# have different slugs, scattered like random ones. Doubles, which Lua has, hold the product exactly up to 20 million.
MULTIPLIER = 433494437
SPACE = 36**7
STRIDE = 5  # between the links that the kind "some" asks for

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TRIPLES = [a + b + c for a in _DIGITS for b in _DIGITS for c in _DIGITS]


def slug(number):
    rest, last = divmod(number * MULTIPLIER % SPACE, 36)
    high, low = divmod(rest, 36**3)
    return _TRIPLES[high] + _TRIPLES[low] + _DIGITS[last]


def long_url(number):
    return f"https://example.com/some/long/path?id={number}"


def write_csv(path, count):
    """Writes links 0 to count - 1 as `shorty import` and `sqlite3 .import` take them."""
    with open(path, "w") as file:
        file.write("slug,url\n")
        for start in range(0, count, 10_000):
            file.writelines(f"{slug(n)},{long_url(n)}\n" for n in range(start, min(start + 10_000, count)))


def write_map(path, count):
    """Writes links 0 to count - 1 as lines of an nginx map."""
    with open(path, "w") as file:
        file.writelines(f'/{slug(n)} "{long_url(n)}";\n' for n in range(count))
