"""Derived statements about made-up data: right ones, wrong ones, and what must stay open."""

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.derived import Derived, derived_statements
from factable.structure import Structure
from factable.text.sentences import sentence_spans

SHOPS = [
    {"shop": "A1", "city": "Leeds", "sales": 40, "status": "open"},
    {"shop": "B2", "city": "York", "sales": 70, "status": "open"},
    {"shop": "C3", "city": "Leeds", "sales": 55, "status": "closed"},
    {"shop": "D4", "city": "Hull", "sales": 35, "status": "open"},
]
COMPANY = {"company": "Acme", "revenue_2024": 100, "revenue_2025": 150, "employees": 12}
UNIVERSITIES = [
    {"institution": "university of ashford", "founded": "1819", "type": "public", "enrollment": "41357"},
    {"institution": "brookdale college", "founded": "1850", "type": "private", "enrollment": "11,186"},
    {"institution": "carrow university", "founded": "1898", "type": "private", "enrollment": "24,966"},
    {"institution": "denby institute", "founded": "1881", "type": "private", "enrollment": "12,002"},
]
CASUALTIES = [
    {"country": "Norland", "deaths": "5352", "injuries": "11366"},
    {"country": "Sudland", "deaths": "103", "injuries": "36"},
    {"country": "Estland", "deaths": "1", "injuries": "2"},
    {"country": "Total", "deaths": "5456", "injuries": "11404"},
]
WEATHER = {
    "city": {"name": "Hollow", "country": "GB"},
    "units": {"temp": "°C", "wind": "m/s"},
    "list": [
        {"dt_txt": "2025-02-10 06:00:00", "main": {"temp": 6.2}, "wind": {"speed": 2.4}},
        {"dt_txt": "2025-02-10 12:00:00", "main": {"temp": 11.8}, "wind": {"speed": 5.1}},
        {"dt_txt": "2025-02-11 06:00:00", "main": {"temp": 9.3}, "wind": {"speed": 8.4}},
        {"dt_txt": "2025-02-11 12:00:00", "main": {"temp": 17.9}, "wind": {"speed": 3.3}},
    ],
}
MATCH = {
    "league": "Northern Cup",
    "teams": {
        "home": {"name": "Rovers", "coach": "Ann Lee"},
        "away": {"name": "Athletic", "coach": "Bo Ray"},
    },
    "goals": {"home": 2, "away": 0},
}
HOCKEY = {
    "homeTeam": {"name": "Ice Bears", "country": "Finland"},
    "awayTeam": {"name": "Red Hawks", "country": "Finland"},
    "homeScore": {"display": 1, "period1": 1, "period2": 0},
    "awayScore": {"display": 4, "period1": 2, "period2": 2},
}
SERIES = {
    "country": "Dunmark",
    "title": "Life expectancy",
    "unit": "years",
    "data": [
        {"date": "2018", "value": 80.1},
        {"date": "2019", "value": 80.9},
        {"date": "2020", "value": 81.4},
        {"date": "2021", "value": 81.2},
        {"date": "2022", "value": 83.0},
    ],
}
PEOPLE = [
    {"name": "Ida Holm", "born": "1950-03-02", "died": "2010-06-01", "films": 12},
    {"name": "Per Lund", "born": "1961-11-20", "died": "2001-12-24", "films": 30},
    {"name": "Eva Ness", "born": "1944-07-09", "died": "2020-01-15", "films": 9},
]
RACE = [
    {"rank": 1, "rider": "Mia Stone (NOR)", "team": "Velo", "time": "3h 40' 07\""},
    {"rank": 2, "rider": "Lea Frost (NOR)", "team": "Sprint", "time": '+ 58"'},
    {"rank": 3, "rider": "Ann Field (SWE)", "team": "Velo", "time": "+ 1' 01\""},
]
PHONES = [
    {"model": "Nova 5", "price_eur": 399, "weight_g": 174, "5g": True},
    {"model": "Nova 6", "price_eur": 499, "weight_g": 181, "5g": True},
    {"model": "Lite", "price_eur": 199, "weight_g": 160, "5g": False},
]
INVOICE = {
    "invoice": "F-12",
    "date": "2026-05-01",
    "due": "2026-05-31",
    "items": [
        {"item": "Desk", "amount": 250},
        {"item": "Chair", "amount": 120},
        {"item": "Lamp", "amount": 30},
    ],
}
STAGES = [
    {"stage": "1", "date": "9 May", "distance": "160 km (99 mi)", "type": "Hilly stage"},
    {"stage": "2", "date": "10 May", "distance": "13.7 km (8.5 mi)", "type": "Time trial"},
    {"stage": "3", "date": "11 May", "distance": "227 km (141 mi)", "type": "Hilly stage"},
    {"stage": "4", "date": "13 May", "distance": "189 km (117 mi)", "type": "Flat stage"},
]
TICKETS = [
    {"ticket": "T-1", "status": "open", "priority": "high", "hours": 12},
    {"ticket": "T-2", "status": "closed", "priority": "low", "hours": 30},
    {"ticket": "T-3", "status": "open", "priority": "low", "hours": 9},
    {"ticket": "T-4", "status": "open", "priority": "low", "hours": 21},
    {"ticket": "T-5", "status": "closed", "priority": "high", "hours": 3},
]

HOSTS = [
    {"host": "web-01", "cpu_pct": 42, "memory_pct": 61},
    {"host": "web-02", "cpu_pct": 88, "memory_pct": 79},
    {"host": "db-01", "cpu_pct": 55, "memory_pct": 91},
]
TITLES = {
    "library": "Eastgate",
    "titles": [
        {"title": "Night Harvest", "loans": 388},
        {"title": "Blue Hour", "loans": 295},
        {"title": "The Salt Path", "loans": 412},
    ],
}
REWARDS = {
    "rewards": [
        {"tier": "Single", "price_eur": 39, "claimed": 820},
        {"tier": "Pair", "price_eur": 72, "claimed": 210},
        {"tier": "Early bird", "price_eur": 29, "claimed": 300},
    ]
}
STOPS = [{"reason": "tool change", "minutes": 25}, {"reason": "jam", "minutes": 40}]
QUARTERS = {"company": "Halden", "sales_eur_million": {"q3_2024": 328, "q3_2025": 356}}
FORECAST = {
    "city": "Bremen",
    "days": [
        {"date": "2026-03-09", "temp_max_c": 9, "rain_mm": 0},
        {"date": "2026-03-10", "temp_max_c": 11, "rain_mm": 0},
        {"date": "2026-03-11", "temp_max_c": 12, "rain_mm": 4.2},
    ],
}
LAB = {
    "patient": "P-7",
    "results": [
        {"test": "Haemoglobin", "value": 11.2, "unit": "g/dL", "ref_low": 12.0, "ref_high": 16.0},
        {"test": "Glucose", "value": 92, "unit": "mg/dL", "ref_low": 70, "ref_high": 99},
    ],
}
LAMPS = {
    "title": "Desk lamp",
    "variants": [
        {"color": "white", "price": 59.9, "currency": "EUR", "stock": 14},
        {"color": "black", "price": 59.9, "currency": "EUR", "stock": 0},
        {"color": "oak", "price": 74.9, "currency": "EUR", "stock": 3},
    ],
}
MUSEUM = {
    "museum": "Glass Museum",
    "admissions": {"2021": 90, "2022": 110, "2023": 100},
    "output_kwh": [
        {"quarter": "Q1 2024", "value": 40},
        {"quarter": "Q2 2024", "value": 35},
        {"quarter": "Q3 2024", "value": 50},
    ],
    "expenses_march": 12,
    "expenses_april": 9,
    "expenses_may": 14,
}
FLIGHT = {"flight": "QA 1", "departure_time": "06:10", "arrival_time": "08:45"}
SKY = {"city": "Turin", "sunrise": "06:20", "sunset": "20:30"}
LISTING = {
    "price": 425000,
    "price_history": [{"date": "2025-09-01", "amount": 450000}, {"date": "2025-11-15", "amount": 425000}],
}
HALVES = {
    "teams": {"home": {"name": "Rovers", "shots": 9}, "away": {"name": "Athletic", "shots": 4}},
    "score": {"halftime": {"home": 1, "away": 0}, "fulltime": {"home": 2, "away": 1}},
}
DISHES = [
    {"dish": "curry", "calories_kcal": 640, "gluten_free": True},
    {"dish": "stew", "calories_kcal": 910, "gluten_free": True},
    {"dish": "burger", "calories_kcal": 780, "gluten_free": False},
]
GUSTS = [
    {"day": "Monday", "max": 25, "low": 3, "gusts": {"value": 16, "unit": "km/h"}},
    {"day": "Tuesday", "max": 18, "low": -2, "gusts": {"value": 76, "unit": "km/h"}},
    {"day": "Friday", "max": 21, "low": 5, "gusts": {"value": 40, "unit": "km/h"}},
]
DRAW = {"home": "Varberg", "away": "Lund", "score": "0-0"}

# data, text, the expected state (None: nothing may be said), words of the expected explanation, right value
CASES: list[tuple[object, str, str | None, str, str]] = [
    # superlatives
    (SHOPS, "B2 sold the most.", "supported", "highest of 4: B2 with 70", ""),
    (SHOPS, "A1 sold the most.", "contradicted", "highest of 4: B2 with 70", "B2"),
    (SHOPS, "Shop D4 had the lowest sales.", "supported", "lowest of 4: D4 with 35", ""),
    (SHOPS, "Shop A1 had the lowest sales, with 40.", "contradicted", "lowest of 4: D4 with 35", "D4"),
    (TITLES, "The Salt Path was the most borrowed title.", "supported", "highest of 3: The Salt Path", ""),
    (
        TITLES,
        "Blue Hour was the second most borrowed title after The Salt Path.",
        "contradicted",
        "number 2",
        "",
    ),
    (
        TITLES,
        "Blue Hour ranks second after The Salt Path with 295 loans.",
        "contradicted",
        "Night Harvest",
        "",
    ),
    (REWARDS, "The Single was the most popular reward, claimed 820 times.", "supported", "highest of 3", ""),
    (
        REWARDS,
        "The Pair was the most popular reward, claimed 210 times.",
        "contradicted",
        "Single with 820",
        "",
    ),
    (REWARDS, "The Pair was the most beautiful reward, claimed 210 times.", None, "", ""),
    (STOPS, "The longest stop was the tool change.", "contradicted", "highest of 2: jam with 40", "jam"),
    (STOPS, "The longest stop was the jam, and six people worked on it.", "supported", "highest of 2", ""),
    (SHOPS, "Total sales were over 190.", "supported", "= 200", ""),
    (SHOPS, "Total sales were over 50.", None, "", ""),
    (SHOPS, "The highest sales were 70.", "supported", "highest of 4", ""),
    (SHOPS, "The highest sales were 80.", "contradicted", "highest of 4: B2 with 70", "70"),
    (UNIVERSITIES, "The University of Ashford is the oldest institution.", "supported", "lowest of 4", ""),
    (
        UNIVERSITIES,
        "Carrow University is the oldest institution.",
        "contradicted",
        "1819",
        "university of ashford",
    ),
    (UNIVERSITIES, "Carrow has the second highest enrollment.", "supported", "number 2 of 4", ""),
    (UNIVERSITIES, "Denby has the second highest enrollment.", "contradicted", "carrow", "carrow university"),
    (
        UNIVERSITIES,
        "Carrow University has the highest enrollment among private institutions.",
        "supported",
        "of 3",
        "",
    ),
    (CASUALTIES, "Norland had the highest number of deaths with 5352.", "supported", "highest of 3", ""),
    (CASUALTIES, "Sudland had the highest number of injuries.", "contradicted", "Norland", "Norland"),
    (PHONES, "The Lite is the cheapest model.", "supported", "lowest of 3: Lite with 199", ""),
    (PHONES, "The Nova 5 is the cheapest phone.", "contradicted", "lowest of 3: Lite with 199", "Lite"),
    (PEOPLE, "Ida Holm was the oldest of the three.", "contradicted", "Eva Ness", "Eva Ness"),
    (STAGES, "The longest stage is stage 3, at 227 km.", "supported", "highest of 4", ""),
    (STAGES, "The longest stage is stage 4, at 189 km.", "contradicted", "227", "3"),
    # comparisons
    (SHOPS, "B2 sold more than A1.", "supported", "70 > 40", ""),
    (SHOPS, "A1 sold more than B2.", "contradicted", "40 < 70", ""),
    (SHOPS, "B2 sold 30 more than A1.", "supported", "70 − 40 = 30", ""),
    (SHOPS, "B2 sold 20 more than A1.", "contradicted", "70 − 40 = 30", "30"),
    (PHONES, "The Nova 6 is heavier than the Nova 5.", "supported", "181 > 174", ""),
    (PHONES, "The Nova 5 is more expensive than the Nova 6.", "contradicted", "399 < 499", ""),
    (UNIVERSITIES, "Brookdale College is older than Denby Institute.", "supported", "1850 < 1881", ""),
    (UNIVERSITIES, "Denby Institute is older than Brookdale College.", "contradicted", "1881 > 1850", ""),
    (
        UNIVERSITIES,
        "Ashford has a higher enrollment than Denby by over 29,000 students.",
        "supported",
        "29355",
        "",
    ),
    (CASUALTIES, "Sudland reported fewer deaths than Norland.", "supported", "103 < 5352", ""),
    (CASUALTIES, "Sudland reported more injuries than Norland.", "contradicted", "36 < 11366", ""),
    # sums, means, ranges
    (INVOICE, "The total amount is 400.", "supported", "250 + 120 + 30 = 400", ""),
    (INVOICE, "The total amount is 410.", "contradicted", "250 + 120 + 30 = 400", "400"),
    (CASUALTIES, "The total number of deaths is 5456.", "supported", "5456", ""),
    (
        CASUALTIES,
        "The total number of injuries across all countries is 11,500.",
        "contradicted",
        "11404",
        "11404",
    ),
    (PEOPLE, "On average they made 17 films.", "supported", "(12 + 30 + 9) / 3 = 17", ""),
    (PEOPLE, "The average number of films is 20.", "contradicted", "(12 + 30 + 9) / 3 = 17", "17"),
    (WEATHER, "Temperatures range from 6 to 18 °C.", "supported", "6.2 to 17.9", ""),
    (WEATHER, "Temperatures range from 2 to 18 °C.", "contradicted", "6.2 to 17.9", "6.2 to 17.9"),
    (WEATHER, "Wind speeds vary between 2.4 and 8.4 m/s.", "supported", "2.4 to 8.4", ""),
    (SHOPS, "Together, A1 and B2 sold 110.", "supported", "40 + 70 = 110", ""),
    # ratios, changes, shares
    (COMPANY, "Revenue rose by 50% from 2024 to 2025.", "supported", "150 / 100 − 1 = 50 %", ""),
    (COMPANY, "Revenue rose by 40% in 2025.", "contradicted", "150 / 100 − 1 = 50 %", "50 %"),
    (COMPANY, "Acme's revenue fell in 2025.", "contradicted", "100", ""),
    (COMPANY, "Acme's revenue grew in 2025.", "supported", "100", ""),
    (COMPANY, "Revenue doubled between 2024 and 2025.", "contradicted", "150 / 100 = 1.5", ""),
    (SHOPS, "B2 sold twice as much as D4.", "supported", "70 / 35 = 2", ""),
    (SHOPS, "B2 sold three times as much as D4.", "contradicted", "70 / 35 = 2", "2"),
    (SHOPS, "B2 accounts for 35% of all sales.", "supported", "70 / 200 = 35 %", ""),
    # counts
    (TICKETS, "Three of the five tickets are open.", "supported", "3 of 5 rows have status open", ""),
    (TICKETS, "Four of the five tickets are open.", "contradicted", "3 of 5 rows have status open", "3"),
    (TICKETS, "There are two tickets with high priority.", "supported", "2 of 5 rows have priority high", ""),
    (TICKETS, "There are five tickets.", "supported", "5", ""),
    (TICKETS, "There are six tickets.", "contradicted", "5", "5"),
    (SHOPS, "Two shops sold more than 50.", "supported", "2 of 4 rows have sales over 50", ""),
    (SHOPS, "Three shops sold more than 50.", "contradicted", "2 of 4 rows have sales over 50", "2"),
    (UNIVERSITIES, "There are three private universities.", "supported", "3 of 4 rows have type private", ""),
    (UNIVERSITIES, "Two institutions are private.", "contradicted", "3 of 4 rows have type private", "3"),
    (STAGES, "There are two hilly stages.", "supported", "2 of 4", ""),
    (RACE, "There are two riders from team Velo.", "supported", "2 of 3 rows have team Velo", ""),
    # all, none, only, both
    (TICKETS, "All tickets are open.", "contradicted", "3 of 5 rows have status open", ""),
    (PHONES, "All models cost more than 150.", "supported", "3 of 3", ""),
    (PHONES, "Every model costs more than 200.", "contradicted", "2 of 3", ""),
    (SHOPS, "C3 is the only closed shop.", "supported", "1 of 4 rows have status closed: C3", ""),
    (SHOPS, "A1 is the only shop in Leeds.", "contradicted", "2 of 4 rows have city Leeds", ""),
    (SHOPS, "No shop sold more than 100.", "supported", "0 of 4", ""),
    (SHOPS, "No shop sold more than 60.", "contradicted", "1 of 4", ""),
    (SHOPS, "Both A1 and C3 are in Leeds.", "supported", "Leeds", ""),
    (SHOPS, "Both A1 and B2 are in Leeds.", "contradicted", "York", ""),
    # dates and durations
    (PEOPLE, "Ida Holm died at the age of 60.", "supported", "1950-03-02 to 2010-06-01: 60 years", ""),
    (PEOPLE, "Per Lund died aged 50.", "contradicted", "1961-11-20 to 2001-12-24: 40 years", "40"),
    (INVOICE, "It is due on Sunday, 31 May 2026.", "supported", "2026-05-31 is a Sunday", ""),
    (INVOICE, "It is due on Friday, 31 May 2026.", "contradicted", "2026-05-31 is a Sunday", "Sunday"),
    (INVOICE, "It is due 30 days after the invoice date.", "supported", "30 days", ""),
    # trends
    (SERIES, "Life expectancy rose from 80.1 in 2018 to 83.0 in 2022.", "supported", "80.1", ""),
    (SERIES, "Life expectancy fell between 2018 and 2022.", "contradicted", "83", ""),
    (SERIES, "Life expectancy increased steadily from 2018 to 2022.", "contradicted", "2021", ""),
    (SERIES, "Life expectancy peaked at 83.0 in 2022.", "supported", "highest of 5", ""),
    (SERIES, "Life expectancy peaked in 2020.", "contradicted", "highest of 5", "2022"),
    # winners
    (MATCH, "Rovers defeated Athletic 2-0.", "supported", "Rovers 2, Athletic 0", ""),
    (MATCH, "Athletic beat Rovers 2-0.", "contradicted", "Rovers 2, Athletic 0", "Rovers"),
    (MATCH, "Athletic lost to Rovers.", "supported", "Rovers 2, Athletic 0", ""),
    (
        MATCH,
        "The match between Rovers and Athletic ended in a draw.",
        "contradicted",
        "Rovers 2, Athletic 0",
        "",
    ),
    (HOCKEY, "The Red Hawks defeated the Ice Bears 4-1.", "supported", "Red Hawks 4, Ice Bears 1", ""),
    (HOCKEY, "The Ice Bears won 4-1.", "contradicted", "Red Hawks 4, Ice Bears 1", "Red Hawks"),
    # units of keys, quarters, weekdays, other words for the same
    (
        HOSTS,
        "The average CPU load of the three hosts was 57%, with web-02 at 88%.",
        "contradicted",
        "= 61.67",
        "",
    ),
    (HOSTS, "Memory use was highest on db-01 at 91%.", "supported", "highest of 3: db-01 with 91", ""),
    (QUARTERS, "Sales rose by 8.5% to €356 million from €328 million.", "supported", "= 8.54 %", ""),
    (
        QUARTERS,
        "Sales of €356 million were an increase of 10.5% over €328 million.",
        "contradicted",
        "8.54",
        "8.54 %",
    ),
    (FORECAST, "In Bremen, Tuesday will be the warmest day.", "contradicted", "highest of 3", "2026-03-11"),
    (FORECAST, "Wednesday will be the warmest day.", "supported", "highest of 3: 2026-03-11 with 12", ""),
    (RACE, "There are three Norwegian riders.", "contradicted", "2 of 3", "2"),
    (DRAW, "Varberg and Lund drew.", "supported", "Varberg 0, Lund 0", ""),
    (DRAW, "Varberg defeated Lund.", "contradicted", "Varberg 0, Lund 0", "draw"),
    # periods: quarters, months, years in keys
    (MUSEUM, "Its number of visitors rose every year from 2021 to 2023.", "contradicted", "110 to 100", ""),
    (MUSEUM, "From 2021 to 2022, the number of visitors kept rising.", "supported", "90 to 110", ""),
    (MUSEUM, "The museum's output was lower in Q2 2024 than in Q1 2024.", "supported", "35 < 40", ""),
    (MUSEUM, "Output was higher in Q2 2024 than in Q3 2024.", "contradicted", "35 < 50", "Q3 2024"),
    (MUSEUM, "Output peaked in the first quarter of 2024.", "contradicted", "Q3 2024 with 50", "Q3 2024"),
    (MUSEUM, "Spending fell by three between March and April.", "supported", "12 − 9 = 3", ""),
    (MUSEUM, "From March to May, spending came to 35 in total.", "supported", "12 + 9 + 14 = 35", ""),
    (MUSEUM, "From March to May, spending came to 38 in total.", "contradicted", "12 + 9 + 14 = 35", "35"),
    (MUSEUM, "The best month for its spending was April.", "contradicted", "may with 14", "may"),
    # rows in other words
    (
        DISHES,
        "No other dish has a lower energy content than the curry.",
        "supported",
        "lowest of 3: curry",
        "",
    ),
    (DISHES, "No other dish has a lower energy content than the stew.", "contradicted", "curry", "curry"),
    (DISHES, "The curry is ahead of the burger in calories.", "contradicted", "640 < 780", ""),
    (DISHES, "The curry and the burger differ in calories by 140.", "supported", "780 − 640 = 140", ""),
    (DISHES, "The curry and the burger differ in calories by 160.", "contradicted", "780 − 640 = 140", "140"),
    (DISHES, "Only the curry and the stew are gluten-free.", "supported", "2 of 3 rows", ""),
    (DISHES, "Only the curry is gluten-free.", "contradicted", "2 of 3 rows", "curry, stew"),
    (DISHES, "None of the dishes are gluten-free.", "contradicted", "2 of 3 rows", ""),
    (DISHES, "Two dishes out of three are gluten-free.", "supported", "2 of 3 rows", ""),
    (GUSTS, "Friday has the highest minimum temperature.", "supported", "highest of 3: Friday with 5", ""),
    (GUSTS, "Monday has the highest maximum temperature.", "supported", "highest of 3: Monday with 25", ""),
    (GUSTS, "Friday is the windiest day.", "contradicted", "highest of 3: Tuesday with 76 km/h", "Tuesday"),
    (GUSTS, "Monday and Tuesday differ in gusts by 16.7 m/s.", "supported", "76 − 16 = 60", ""),
    (HOSTS, "Memory use was highest on db-01, followed by web-02.", "supported", "number 2 of 3", ""),
    (LAMPS, "All three colours are in stock.", "contradicted", "2 of 3 rows have stock over 0", "black"),
    (FORECAST, "It stays dry on two of the three days.", "supported", "2 of 3 rows have rain mm 0", ""),
    (TICKETS, "None of the low-priority tickets has been closed.", "contradicted", "1 of 3 rows", "T-2"),
    # values of the sentence itself, exchanged values, limits, opposites
    (QUARTERS, "Sales rose from €356 million to €328 million.", "contradicted", "356000000 to 328000000", ""),
    (
        LISTING,
        "Originally listed at 450,000, the price was raised to 425,000.",
        "contradicted",
        "450000 to 425000",
        "",
    ),
    (LAMPS, "The lamp costs €74.90 in white and €59.90 in oak.", "contradicted", "white: price 59.9", "74.9"),
    (LAB, "Haemoglobin is within the reference range.", "contradicted", "11.2 with 12.0 to 16.0", ""),
    (LAB, "Glucose is within the normal range.", "supported", "92 with 70 to 99", ""),
    (LAB, "Haemoglobin is below the reference range.", "supported", "11.2 with 12.0 to 16.0", ""),
    (FLIGHT, "It arrives at 6:10 am.", "contradicted", "departure time: 06:10", "08:45"),
    (FLIGHT, "It lands at 8:45 am.", "supported", "arrival time: 08:45", ""),
    (SKY, "The sun sets at 6:20 am in Turin.", "contradicted", "sunrise: 06:20", "20:30"),
    (HALVES, "Rovers and Athletic were level at half-time.", "contradicted", "half-time: Rovers 1", ""),
    (HALVES, "Rovers were ahead at the break.", "supported", "half-time: Rovers 1, Athletic 0", ""),
    # open: no column, no entity, another scope, no arithmetic asked
    (SHOPS, "A1 has the friendliest staff.", None, "", ""),
    (SHOPS, "A1 is the best shop in the north of England.", None, "", ""),
    (SHOPS, "A1 sold more than last year.", None, "", ""),
    (COMPANY, "Acme has 12 employees.", None, "", ""),
    (COMPANY, "Profit rose by 40% in 2025.", None, "", ""),
    (UNIVERSITIES, "Six universities in Scotland took part.", None, "", ""),
    (WEATHER, "Most of the day will be dry.", None, "", ""),
    (SERIES, "Life expectancy in Norland is higher than in Dunmark.", None, "", ""),
    (TICKETS, "All our engineers are friendly.", None, "", ""),
    (MATCH, "Five players of Rovers were booked.", None, "", ""),
    (MUSEUM, "Profit peaked in 2021.", None, "", ""),
    (FLIGHT, "Boarding starts at 5:40 am.", None, "", ""),
    (HOSTS, "web-01 was available 47 percent of the time and had a memory use of 61%.", None, "", ""),
]


def check(data: object, text: str) -> list[Derived]:
    return derived_statements(Structure.of(make_table(data)), text, sentence_spans(text))


@pytest.mark.parametrize(
    ("data", "text", "state", "explanation", "right"), CASES, ids=[case[1] for case in CASES]
)
def test_derived_statement(data: object, text: str, state: str | None, explanation: str, right: str) -> None:
    derived = check(data, text)
    if state is None:
        assert derived == []
        return
    assert {one.state for one in derived} == {state}, derived
    assert any(explanation in one.explanation for one in derived), derived
    if right:
        assert any(right == one.right for one in derived), derived


def test_every_span_lies_in_the_text_and_leaves_exist() -> None:
    structure = Structure.of(make_table(SHOPS))
    text = "B2 sold 30 more than A1. Two shops sold more than 50. D4 sold the most."
    derived = derived_statements(structure, text, sentence_spans(text))
    assert len(derived) >= 3
    for one in derived:
        assert 0 <= one.span[0] < one.span[1] <= len(text)
        assert one.leaves
        assert all(0 <= leaf < len(structure.leaves) for leaf in one.leaves)
        if one.span_of_number is not None:
            assert one.span[0] <= one.span_of_number[0] < one.span_of_number[1] <= one.span[1]


def test_a_right_and_a_wrong_count_in_one_sentence() -> None:
    right, wrong = check(TICKETS, "There are five tickets, four of which are open.")
    assert (right.state, right.explanation) == ("supported", "5 rows")
    assert (wrong.state, wrong.right, wrong.span_of_number) == ("contradicted", "3", (24, 28))


def test_the_next_in_rank_is_another_than_the_text_says() -> None:
    highest, next_one = check(HOSTS, "Memory use was highest on db-01, followed by web-01.")
    assert (highest.state, next_one.state, next_one.right) == ("supported", "contradicted", "web-02")
