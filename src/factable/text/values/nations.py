"""Countries and the words for their people: Italy and Italian."""

from factable.text.values.words import split_words

# Names of a country, then the words for its people, without those that are first names (Finn).
_NATIONS = """
Afghanistan | Afghan
Albania | Albanian
Algeria | Algerian
Argentina | Argentine, Argentinian
Armenia | Armenian
Australia | Australian
Austria | Austrian
Azerbaijan | Azerbaijani
Bangladesh | Bangladeshi
Belarus | Belarusian
Belgium | Belgian
Bolivia | Bolivian
Bosnia and Herzegovina, Bosnia | Bosnian
Brazil | Brazilian
Bulgaria | Bulgarian
Cambodia | Cambodian
Cameroon | Cameroonian
Canada | Canadian
Chile | Chilean
China, People's Republic of China | Chinese
Colombia | Colombian
Costa Rica | Costa Rican
Croatia | Croatian
Cuba | Cuban
Cyprus | Cypriot
Czech Republic, Czechia | Czech
Denmark | Danish
Ecuador | Ecuadorian
Egypt | Egyptian
England | English
Estonia | Estonian
Ethiopia | Ethiopian
Finland | Finnish
France | French
Georgia | Georgian
Germany | German
Ghana | Ghanaian
Greece | Greek
Hungary | Hungarian
Iceland | Icelandic, Icelander
India | Indian
Indonesia | Indonesian
Iran | Iranian
Iraq | Iraqi
Ireland, Republic of Ireland | Irish
Israel | Israeli
Italy | Italian
Ivory Coast, Côte d'Ivoire | Ivorian
Jamaica | Jamaican
Japan | Japanese
Jordan | Jordanian
Kazakhstan | Kazakh, Kazakhstani
Kenya | Kenyan
Latvia | Latvian
Lebanon | Lebanese
Lithuania | Lithuanian
Luxembourg | Luxembourgish
Malaysia | Malaysian
Mexico | Mexican
Moldova | Moldovan
Mongolia | Mongolian
Morocco | Moroccan
Nepal | Nepalese, Nepali
Netherlands, The Netherlands, Holland | Dutch
New Zealand | New Zealander
Nigeria | Nigerian
Norway | Norwegian
Pakistan | Pakistani
Paraguay | Paraguayan
Peru | Peruvian
Philippines, The Philippines | Filipino, Philippine
Poland | Polish
Portugal | Portuguese
Romania | Romanian
Russia, Russian Federation | Russian
Saudi Arabia | Saudi, Saudi Arabian
Scotland | Scottish
Senegal | Senegalese
Serbia | Serbian
Singapore | Singaporean
Slovakia | Slovak, Slovakian
Slovenia | Slovenian, Slovene
South Africa | South African
South Korea, Korea, Republic of Korea | Korean, South Korean
Spain | Spanish, Spaniard
Sweden | Swedish
Switzerland | Swiss
Taiwan | Taiwanese
Thailand | Thai
Tunisia | Tunisian
Turkey, Türkiye | Turkish
Ukraine | Ukrainian
United Kingdom, UK, Great Britain, Britain | British, Briton
United States, United States of America, USA, US, America | American
Uruguay | Uruguayan
Venezuela | Venezuelan
Vietnam, Viet Nam | Vietnamese
Wales | Welsh
"""


def _folded(name: str) -> tuple[str, ...]:
    return tuple(word.folded for word in split_words(name))


_COUNTRIES: dict[tuple[str, ...], str] = {}
_PEOPLES: dict[tuple[str, ...], str] = {}
for _line in _NATIONS.strip().splitlines():
    _names, _peoples = ([name.strip() for name in cell.split(",")] for cell in _line.split("|"))
    _COUNTRIES |= {_folded(name): _names[0] for name in _names}
    _PEOPLES |= {_folded(f"{people}{ending}"): _names[0] for people in _peoples for ending in ("", "s")}


# ISO 3166 codes of countries, and postal codes of the United States.
_CODES = """
AR Argentina, AT Austria, AU Australia, BE Belgium, BG Bulgaria, BR Brazil, CA Canada, CH Switzerland, CL
Chile, CN China, CO Colombia, CZ Czech Republic, DE Germany, DK Denmark, EE Estonia, EG Egypt, ES Spain, FI
Finland, FR France, GB United Kingdom, GR Greece, HR Croatia, HU Hungary, ID Indonesia, IE Ireland, IL
Israel, IN India, IS Iceland, IT Italy, JP Japan, KE Kenya, KR South Korea, LT Lithuania, LU Luxembourg, LV
Latvia, MA Morocco, MX Mexico, MY Malaysia, NG Nigeria, NL Netherlands, NO Norway, NZ New Zealand, PE Peru,
PH Philippines, PK Pakistan, PL Poland, PT Portugal, RO Romania, RS Serbia, RU Russia, SE Sweden, SG
Singapore, SI Slovenia, SK Slovakia, TH Thailand, TN Tunisia, TR Turkey, UA Ukraine, US United States, VN
Vietnam, ZA South Africa,
AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, FL
Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA
Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri,
MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North
Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South
Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington, WV West
Virginia, WI Wisconsin, WY Wyoming
"""


def _by_code() -> dict[str, tuple[str, ...]]:
    """The names that each code may stand for: CA is Canada and California."""
    names: dict[str, tuple[str, ...]] = {}
    for entry in _CODES.replace("\n", " ").split(","):
        code, _, name = entry.strip().partition(" ")
        names[code] = (*names.get(code, ()), name)
    return names


_REGIONS = _by_code()


def regions_of(code: str) -> tuple[str, ...]:
    """The countries and states that a code such as FR or AZ may stand for."""
    return _REGIONS.get(code, ())


def country_named(words: tuple[str, ...]) -> str:
    """The country that folded words name; empty if there is none."""
    return _COUNTRIES.get(words, "")


def country_of_people(words: tuple[str, ...]) -> str:
    """The country that folded words for people, such as "italians", belong to; empty if there is none."""
    return _PEOPLES.get(words, "")
