"""Keeps the entries of a WebNLG file whose categories are not in the training set of 2017.

python recipes/unseen.py TEST.xml UNSEEN.xml
"""

import sys
import xml.etree.ElementTree as ET

UNSEEN = {"Artist", "Athlete", "CelestialBody", "MeanOfTransportation", "Politician"}


def main(source: str, target: str) -> None:
    """Copy the entries of unseen categories."""
    tree = ET.parse(source)  # noqa: S314
    entries = tree.getroot().find("entries")
    assert entries is not None
    for entry in list(entries):
        if entry.get("category") not in UNSEEN:
            entries.remove(entry)
    tree.write(target, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
