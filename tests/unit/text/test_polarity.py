"""Clauses, and what they say of a word: yes, no, or that it is not known."""

import pytest

from factable.text.polarity import clauses, polarity_at, reported_from


def polarity(text: str, word: str) -> str:
    """What a sentence says of a word in it."""
    start = text.index(word)
    span = start, start + len(word)
    [clause] = [
        each for each in clauses(text, (0, len(text))) if any(token.start == start for token in each.tokens)
    ]
    return polarity_at(clause, span)


def split(text: str) -> list[str]:
    """The words of each clause."""
    return [" ".join(token.word for token in each.tokens) for each in clauses(text, (0, len(text)))]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The hotel does not offer parking, a pool, or room service.", ["parking", "pool", "service"]),
        ("Valet parking is not available.", ["Valet", "parking"]),
        ("WiFi is absent.", ["WiFi"]),
        ("Pets aren't allowed.", ["Pets"]),
        ("Pets, smoking and parties are not permitted.", ["Pets", "smoking", "parties"]),
        ("The plan lacks single sign-on and audit logs.", ["sign", "audit"]),
        ("Neither breakfast nor parking is included.", ["breakfast", "parking"]),
        ("The flat comes without a balcony.", ["balcony"]),
        ("There is no elevator or garage.", ["elevator", "garage"]),
        ("It doesn't take bookings or ship abroad.", ["bookings", "ship"]),
        ("All features except exports are included.", ["exports"]),
        ("The recipe is free of nuts.", ["nuts"]),
        ("The lounge is anything but quiet.", ["quiet"]),
        ("Parking: garage only, refunds not offered.", ["refunds"]),
        ("The tour prohibits pets.", ["pets"]),
        ("The unit is unfortunately no longer furnished.", ["furnished"]),
        ("It does not offer parking (garage, street) or accept cards.", ["garage", "street", "cards"]),
        ("Unfortunately, breakfast is also not included.", ["breakfast"]),
    ],
)
def test_negation_reaches_what_it_denies(text: str, denied: list[str]) -> None:
    assert {word: polarity(text, word) for word in denied} == dict.fromkeys(denied, "no")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The hotel has no pool but offers parking.", "parking"),
        ("While it has no pool, parking is available.", "parking"),
        ("While it does not take bookings or cards, lunch and dinner are served.", "lunch"),
        ("It has no pool and offers free breakfast.", "breakfast"),
        ("Despite not having a lift, the building has a gym.", "gym"),
        ("The plan has no ads, with exports included.", "exports"),
        ("The flat is not only furnished but also has a balcony.", "furnished"),
        ("There is no doubt that pets are welcome.", "pets"),
        ("The suite has nothing but sea views.", "sea"),
        ("The furnished flat does not have a lift.", "furnished"),
        ("Parking is not expensive.", "Parking"),
        ("Breakfast is not included, which upsets nobody because parking is.", "parking"),
        ("Guests may bring pets.", "pets"),
        ("The app does not lack encryption.", "encryption"),
        ("It offers breakfast, no dinner, and parking.", "parking"),
        ("The event is not free, and registration is open.", "registration"),
    ],
)
def test_what_is_not_denied_is_said(text: str, stated: str) -> None:
    assert polarity(text, stated) == "yes"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("It is unclear whether pets are allowed.", "pets"),
        ("The listing does not mention parking.", "parking"),
        ("There is no information on delivery.", "delivery"),
        ("Delivery options are not specified.", "Delivery"),
        ("Details about the warranty are not provided.", "warranty"),
        ("The shop may offer refunds.", "refunds"),
        ("No other amenities (parking, WiFi) are specified in the data.", "WiFi"),
        ("The data does not provide details on smoking.", "smoking"),
    ],
)
def test_what_is_said_not_to_be_known(text: str, word: str) -> None:
    assert polarity(text, word) == "unknown"


def test_clauses_have_a_verb_each_and_lists_stay_whole() -> None:
    assert split(
        "The gym has a pool, a sauna and lockers, but it does not offer towels; classes are free."
    ) == [
        "the gym has a pool , a sauna and lockers ,",
        "but it does not offer towels",
        "; classes are free",
    ]


def test_clauses_cover_all_words() -> None:
    text = "Although old (built in 1910), the house, which has a lift, is quiet and has no garage – a pity."
    tokens = [token for each in clauses(text, (0, len(text))) for token in each.tokens]
    tokens.sort(key=lambda token: token.start)
    said = " ".join(token.word for token in tokens if token.word.isalnum())
    assert said == "although old built in 1910 the house which has a lift is quiet and has no garage a pity"


def test_an_unclosed_bracket_and_an_empty_text_do_no_harm() -> None:
    assert polarity("The flat (which has no lift is bright.", "lift") == "no"
    assert clauses("", (0, 0)) == []


def test_reported_speech_of_reviewers() -> None:
    text = "The hotel has a pool, but guests complained about the noise."
    assert text[reported_from(text, (0, len(text))) :] == "guests complained about the noise."
    plain = "Guests can enjoy a pool."
    assert reported_from(plain, (0, len(plain))) == len(plain)
