"""Units, currencies and number words, and the one name each goes by.

Only spellings that surely mean the same share a name. `m` may be metres, minutes or
millions, so it stays `m`; `pound` may be weight or money, so it stays `pound`.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CURRENCIES", "MAGNITUDES", "MONTHS", "NUMBERS", "ORDINALS", "UNITS", "WEEKDAYS"]


def _table(lines: str) -> dict[str, str]:
    """Spelling to name; in each line the name comes first and is a spelling too."""
    rows = [line.split() for line in lines.strip().splitlines()]
    return {spelling: row[0] for row in rows for spelling in row}


#: Case-folded spelling of a unit to its name.
UNITS: Final = _table(
    """
    b byte bytes
    kb kilobyte kilobytes
    mb megabyte megabytes
    gb gigabyte gigabytes gigs
    tb terabyte terabytes
    pb petabyte petabytes
    kib
    mib
    gib
    tib
    bit bits
    kbit kbps kbit/s
    mbit mbps mbit/s
    gbit gbps gbit/s
    kb/s
    mb/s
    gb/s
    tb/s
    kg kilo kilos kilogram kilograms kilogramme kilogrammes
    g gram grams gramme grammes
    mg milligram milligrams
    ton tons
    tonne tonnes
    lb lbs
    pound pounds
    oz ounce ounces
    km kilometer kilometers kilometre kilometres
    k
    m
    meter meters metre metres
    cm centimeter centimeters centimetre centimetres
    mm millimeter millimeters millimetre millimetres
    nm nanometer nanometers
    mile miles mi
    yard yards yd
    foot feet ft
    inch inches
    acre acres
    hectare hectares ha
    sqm m²
    m³
    km²
    l liter liters litre litres
    ml milliliter milliliters millilitre millilitres
    gallon gallons
    cup cups
    tablespoon tablespoons tbsp
    teaspoon teaspoons tsp
    ns nanosecond nanoseconds
    us µs μs microsecond microseconds
    ms msec millisecond milliseconds
    s sec secs
    second seconds
    min mins minute minutes
    h hr hrs hour hours
    d
    day days
    week weeks wk wks
    month months
    quarter quarters
    year years yr yrs
    decade decades
    century centuries
    night nights
    time times
    x ×
    °c c° celsius ℃
    °f f° fahrenheit ℉
    ° degree degrees
    kelvin
    w watt watts
    kw kilowatt kilowatts
    mw megawatt megawatts
    kwh
    mwh
    v volt volts
    kv
    amp amps
    mah
    hz hertz
    khz kilohertz
    mhz megahertz
    ghz gigahertz
    fps
    rpm
    mph
    km/h kmh kph
    m/s
    cal
    kcal calorie calories
    px pixel pixels
    pt
    em
    rem
    mp megapixel megapixels
    dpi
    db decibel decibels
    ppm
    bps
    basis-point
    point points
    percentage-point
    page pages
    word words
    token tokens
    row rows
    cpu cpus
    core cores
    replica replicas
    node nodes
    """
)

#: A sign, code or case-folded word of money to its ISO code, or to a name of its own.
CURRENCIES: Final = {
    "$": "USD",
    "us$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "¥",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₿": "BTC",
    "₺": "TRY",
    "₴": "UAH",
    "₫": "VND",
    "฿": "THB",
    "₪": "ILS",
    "₱": "PHP",
    "a$": "AUD",
    "c$": "CAD",
    "dollar": "USD",
    "dollars": "USD",
    "buck": "USD",
    "bucks": "USD",
    "euro": "EUR",
    "euros": "EUR",
    "yen": "JPY",
    "rupee": "rupee",
    "rupees": "rupee",
    "cent": "cent",
    "cents": "cent",
} | {
    code.lower(): code
    for code in (
        "USD EUR GBP JPY INR KRW RUB BTC ETH AUD CAD CHF CNY SEK NOK DKK PLN CZK HUF TRY UAH"
        " VND THB ILS PHP BRL MXN ZAR SGD HKD NZD"
    ).split()
}

#: What stands behind a number and multiplies it.
MAGNITUDES: Final = {
    "hundred": 2,
    "thousand": 3,
    "million": 6,
    "mn": 6,
    "billion": 9,
    "bn": 9,
    "trillion": 12,
}

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()

#: A number in one English word.
NUMBERS: Final = (
    {word: number for number, word in enumerate(_ONES)}
    | {word: number * 10 for number, word in enumerate(_TENS, start=2)}
    | {"dozen": 12}
)

#: A place in a row in one English word; `second` may be a unit and is not among them.
ORDINALS: Final = {
    word: place
    for place, word in enumerate(
        "first 2nd third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        start=1,
    )
}

WEEKDAYS: Final = _table(
    """
    monday mondays mon
    tuesday tuesdays tue tues
    wednesday wednesdays wed weds
    thursday thursdays thu thur thurs
    friday fridays fri
    saturday saturdays sat
    sunday sundays sun
    """
)

MONTHS: Final = {
    spelling: number
    for number, row in enumerate(
        (
            "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,"
            "september sep sept,october oct,november nov,december dec"
        ).split(","),
        start=1,
    )
    for spelling in row.split()
}
