"""Time and memory of the ledger beside nested data, as records and words grow.

python benchmarks/structured.py [--evidence fast] [--most 900]

The last column is processor time for each record: the same for all sizes where time grows in proportion.
"""

import argparse
import resource
import time

import factable

PLACES = ("Alba", "Brio", "Como", "Dover", "Essen", "Fulda", "Gent", "Haifa", "Izmir", "Jena")


def record(number: int) -> dict[str, object]:
    """A shop with ten facts."""
    return {
        "shop": f"{PLACES[number % 10]} {number}",
        "city": PLACES[(number * 7) % 10],
        "opened": 1950 + number % 70,
        "sales_eur": 1000 + 37 * number,
        "staff": 3 + number % 11,
        "area_m2": 80 + number % 41,
        "rating": round(3 + number % 20 / 10, 1),
        "delivery": number % 2 == 0,
        "parking": number % 3 == 0,
        "manager": f"{PLACES[(number * 3) % 10]} Keller",
    }


def text_of(number: int) -> str:
    """Ten words about a shop."""
    shop = record(number)
    return f"{shop['shop']} has {shop['staff']} people and sold goods for €{shop['sales_eur']}."


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--evidence", default="best")
    parser.add_argument("--most", type=int, default=900, help="records of the largest table")
    given = parser.parse_args()
    evidence = given.evidence
    factable.check({"shops": [record(0), record(1)]}, text_of(0), evidence=evidence)
    for count in filter(given.most.__ge__, (1, 10, 30, 100, 300, 900)):
        data = {"shops": [record(number) for number in range(count)]}
        text = " ".join(text_of(number) for number in range(count))
        start, cpu_start = time.perf_counter(), time.process_time()
        factable.check(data, text, evidence=evidence)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        words = len(text.split())
        print(
            f"{count:4} records, {words:5} words: {seconds:.2f} s ({cpu:.2f} s CPU), {memory} MB, "
            f"{1000 * cpu / count:.1f} ms CPU a record",
            flush=True,
        )


if __name__ == "__main__":
    main()
