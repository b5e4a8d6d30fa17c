"""A report as one self-contained HTML page.

How a command makes one:

    with ExampleListing() as listing, open_output("report.html") as stream:
        result = score_files(files, metrics, listing=listing_rows, listener=listing.take)
        write_report(stream, Report("my-outputs", result, listing))

`listing_rows` runs where examples are scored, in any process; `take` keeps its rows. A gate adds `outcome`
("passed" or "failed") and `notes`, lines that stand under the title; a comparison of systems is shown with
its differences and intervals.
"""

from factable.report.html.listing import ExampleListing, listing_rows
from factable.report.html.page import SHARED_ASSETS, Report, write_report

__all__ = ["SHARED_ASSETS", "ExampleListing", "Report", "listing_rows", "write_report"]
