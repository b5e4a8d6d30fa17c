"""Which facts of structured data a text must say."""

from factable.metrics.ledger.verdict import Rules
from factable.structure import Structure
from factable.types import Table

# More triples than these are searched like the rows of a table.
MAX_TRIPLES = 30


def is_structured(table: Table) -> bool:
    """Whether data has structure to read: objects and rows, and large numbers of triples."""
    return table.source is not None or len(table.records) > MAX_TRIPLES


def required_leaves(structure: Structure, table: Table, rules: Rules) -> frozenset[int]:
    """The leaves that a text must say: those that are asked for, or all of a small record."""
    # What is named counts even if it looks technical; of unknown values nothing can be said.
    kinds = ("value", "flag", "prose", "technical") if rules.selection.required else ("value", "flag")
    leaves = {
        leaf.index: table.records[leaf.record]
        for leaf in structure.leaves
        if leaf.record is not None and leaf.kind in kinds and not rules.ignores(table.records[leaf.record])
    }
    if not rules.selection.required and len(leaves) > rules.small:
        return frozenset()
    return frozenset(leaf for leaf, record in leaves.items() if rules.selection.requires(record))
