"""Countries by other words: Norway is NO or NOR in data and Norwegian in sentences; states by their codes."""

from factable.text.values.words import fold, split_words

# Names of a country, the words for its people, without those that are first names (Finn), and its codes: ISO
# 3166, and those of the Olympic committees where they differ.
_NATIONS = """
Afghanistan | Afghan |
Albania | Albanian |
Algeria | Algerian |
Argentina | Argentine, Argentinian | AR ARG
Armenia | Armenian |
Australia | Australian | AU AUS
Austria | Austrian | AT AUT
Azerbaijan | Azerbaijani |
Bangladesh | Bangladeshi |
Belarus | Belarusian |
Belgium | Belgian | BE BEL
Bolivia | Bolivian |
Bosnia and Herzegovina, Bosnia | Bosnian |
Brazil | Brazilian | BR BRA
Bulgaria | Bulgarian | BG BUL BGR
Cambodia | Cambodian |
Cameroon | Cameroonian |
Canada | Canadian | CA CAN
Chile | Chilean | CL CHI CHL
China, People's Republic of China | Chinese | CN CHN
Colombia | Colombian | CO COL
Costa Rica | Costa Rican |
Croatia | Croatian | HR CRO HRV
Cuba | Cuban | CU CUB
Cyprus | Cypriot |
Czech Republic, Czechia | Czech | CZ CZE
Denmark | Danish | DK DEN DNK
Ecuador | Ecuadorian |
Egypt | Egyptian | EG EGY
England | English | ENG
Estonia | Estonian | EE EST
Ethiopia | Ethiopian | ET ETH
Finland | Finnish | FI FIN
France | French | FR FRA
Georgia | Georgian |
Germany | German | DE GER DEU
Ghana | Ghanaian |
Greece | Greek | GR GRE GRC
Hungary | Hungarian | HU HUN
Iceland | Icelandic, Icelander | IS ISL
India | Indian | IN IND
Indonesia | Indonesian | ID INA IDN
Iran | Iranian |
Iraq | Iraqi |
Ireland, Republic of Ireland | Irish | IE IRL
Israel | Israeli | IL ISR
Italy | Italian | IT ITA
Ivory Coast, Côte d'Ivoire | Ivorian |
Jamaica | Jamaican |
Japan | Japanese | JP JPN
Jordan | Jordanian |
Kazakhstan | Kazakh, Kazakhstani | KZ KAZ
Kenya | Kenyan | KE KEN
Latvia | Latvian | LV LAT LVA
Lebanon | Lebanese |
Lithuania | Lithuanian | LT LTU
Luxembourg | Luxembourgish | LU LUX
Malaysia | Malaysian | MY
Mexico | Mexican | MX MEX
Moldova | Moldovan |
Mongolia | Mongolian |
Morocco | Moroccan | MA MAR
Nepal | Nepalese, Nepali |
Netherlands, The Netherlands, Holland | Dutch | NL NED NLD
New Zealand | New Zealander | NZ NZL
Nigeria | Nigerian | NG NGR NGA
Norway | Norwegian | NO NOR
Pakistan | Pakistani | PK PAK
Paraguay | Paraguayan |
Peru | Peruvian | PE
Philippines, The Philippines | Filipino, Philippine | PH PHI PHL
Poland | Polish | PL POL
Portugal | Portuguese | PT POR PRT
Romania | Romanian | RO ROU
Russia, Russian Federation | Russian | RU RUS
Saudi Arabia | Saudi, Saudi Arabian |
Scotland | Scottish | SCO
Senegal | Senegalese |
Serbia | Serbian | RS SRB
Singapore | Singaporean | SG
Slovakia | Slovak, Slovakian | SK SVK
Slovenia | Slovenian, Slovene | SI SLO SVN
South Africa | South African | ZA RSA ZAF
South Korea, Korea, Republic of Korea | Korean, South Korean | KR KOR
Spain | Spanish, Spaniard | ES ESP
Sweden | Swedish | SE SWE
Switzerland | Swiss | CH SUI CHE
Taiwan | Taiwanese |
Thailand | Thai | TH THA
Tunisia | Tunisian | TN
Turkey, Türkiye | Turkish | TR TUR
Ukraine | Ukrainian | UA UKR
United Kingdom, UK, Great Britain, Britain | British, Briton | GB GBR UK
United States, United States of America, USA, US, America | American | US USA
Uruguay | Uruguayan |
Venezuela | Venezuelan |
Vietnam, Viet Nam | Vietnamese | VN
Wales | Welsh | WAL
"""
# Postal codes of the United States.
_STATES = """
AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, FL
Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA
Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri,
MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North
Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South
Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington, WV West
Virginia, WI Wisconsin, WY Wyoming
"""


def _folded(name: str) -> tuple[str, ...]:
    return tuple(word.folded for word in split_words(name))


_COUNTRIES: dict[tuple[str, ...], str] = {}
_PEOPLES: dict[tuple[str, ...], str] = {}
_REGIONS: dict[str, tuple[str, ...]] = {}
_OTHER_WORDS: dict[str, tuple[str, ...]] = {}
for _line in _NATIONS.strip().splitlines():
    _names, _peoples, _codes = (cell.strip() for cell in _line.split("|"))
    _all_names, _all_peoples = _names.split(", "), _peoples.split(", ")
    _COUNTRIES |= {_folded(name): _all_names[0] for name in _all_names}
    _PEOPLES |= {
        _folded(f"{people}{ending}"): _all_names[0] for people in _all_peoples for ending in ("", "s")
    }
    _words = (*_all_names, *_all_peoples)
    _OTHER_WORDS |= {fold(word): _words for word in _words} | dict.fromkeys(_codes.split(), _words)
    _REGIONS |= dict.fromkeys(_codes.split(), (_all_names[0],))
for _entry in _STATES.replace("\n", " ").split(","):
    _code, _, _state = _entry.strip().partition(" ")
    # CA is Canada and California.
    _REGIONS[_code] = (*_REGIONS.get(_code, ()), _state)


def regions_of(code: str) -> tuple[str, ...]:
    """The countries and states that a code such as FR or AZ may stand for."""
    return _REGIONS.get(code, ())


def other_words(value: str) -> tuple[str, ...]:
    """Names and adjectives of the country that a value is the name or, in capitals, the code of."""
    return _OTHER_WORDS.get(value if value.isupper() else fold(value), ())


def country_named(words: tuple[str, ...]) -> str:
    """The country that folded words name; empty if there is none."""
    return _COUNTRIES.get(words, "")


def country_of_people(words: tuple[str, ...]) -> str:
    """The country that folded words for people, such as "italians", belong to; empty if there is none."""
    return _PEOPLES.get(words, "")
