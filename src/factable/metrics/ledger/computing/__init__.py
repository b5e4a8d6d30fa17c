"""Numbers that a text computes from those of the data: sums, differences, shares, durations, remainders."""
