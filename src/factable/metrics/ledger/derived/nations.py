"""Countries by other words: Norway is NOR in tables of results and Norwegian in sentences."""

from factable.text.values.words import fold

# Name, adjective, and codes: ISO 3166 and that of the Olympic committees where it differs.
_NATIONS = """
Argentina | Argentine, Argentinian | AR ARG
Australia | Australian | AU AUS
Austria | Austrian | AT AUT
Belgium | Belgian | BE BEL
Brazil | Brazilian | BR BRA
Bulgaria | Bulgarian | BG BUL BGR
Canada | Canadian | CA CAN
Chile | Chilean | CL CHI CHL
China | Chinese | CN CHN
Colombia | Colombian | CO COL
Croatia | Croatian | HR CRO HRV
Cuba | Cuban | CU CUB
Czech Republic, Czechia | Czech | CZ CZE
Denmark | Danish | DK DEN DNK
Egypt | Egyptian | EG EGY
England | English | ENG
Estonia | Estonian | EE EST
Ethiopia | Ethiopian | ET ETH
Finland | Finnish | FI FIN
France | French | FR FRA
Germany | German | DE GER DEU
Great Britain, United Kingdom | British | GB GBR UK
Greece | Greek | GR GRE GRC
Hungary | Hungarian | HU HUN
Iceland | Icelandic | IS ISL
India | Indian | IN IND
Indonesia | Indonesian | ID INA IDN
Ireland | Irish | IE IRL
Israel | Israeli | IL ISR
Italy | Italian | IT ITA
Japan | Japanese | JP JPN
Kazakhstan | Kazakh | KZ KAZ
Kenya | Kenyan | KE KEN
Latvia | Latvian | LV LAT LVA
Lithuania | Lithuanian | LT LTU
Luxembourg | Luxembourgish | LU LUX
Mexico | Mexican | MX MEX
Morocco | Moroccan | MA MAR
Netherlands | Dutch | NL NED NLD
New Zealand | New Zealander | NZ NZL
Nigeria | Nigerian | NG NGR NGA
Norway | Norwegian | NO NOR
Pakistan | Pakistani | PK PAK
Philippines | Philippine, Filipino | PH PHI PHL
Poland | Polish | PL POL
Portugal | Portuguese | PT POR PRT
Romania | Romanian | RO ROU
Russia | Russian | RU RUS
Scotland | Scottish | SCO
Serbia | Serbian | RS SRB
Slovakia | Slovak | SK SVK
Slovenia | Slovenian, Slovene | SI SLO SVN
South Africa | South African | ZA RSA ZAF
South Korea | South Korean, Korean | KR KOR
Spain | Spanish | ES ESP
Sweden | Swedish | SE SWE
Switzerland | Swiss | CH SUI CHE
Thailand | Thai | TH THA
Turkey | Turkish | TR TUR
Ukraine | Ukrainian | UA UKR
United States | American | US USA
Wales | Welsh | WAL
"""


def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _NATIONS.strip().splitlines():
        names, adjectives, codes = (part.strip() for part in line.split("|"))
        words = (
            *(name.strip() for name in names.split(",")),
            *(word.strip() for word in adjectives.split(",")),
        )
        for form in [*names.split(","), *adjectives.split(",")]:
            found[fold(form.strip())] = words
        for code in codes.split():
            found[code] = words
    return found


_WORDS = _table()


def other_words(value: str) -> tuple[str, ...]:
    """Names and adjectives of the country that a value is the name or, in capitals, the code of."""
    return _WORDS.get(value if value.isupper() else fold(value), ())
