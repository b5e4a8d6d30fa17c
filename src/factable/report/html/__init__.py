"""A report as one HTML page that needs nothing but itself.

How a command makes one:

    with Listing(metrics) as listing, open_output("report.html") as stream:
        result = score_files(files, metrics, listing=listing.render, listener=listing.take)
        write_report(stream, Report("my-outputs", result, listing))

`render` runs where examples are scored, in any process; `take` keeps what it made. A gate adds `outcome`
("passed" or "failed") and `notes`, lines for people that stand under the title; a comparison of systems is
shown with its differences and intervals.
"""

from factable.report.html.listing import Listing
from factable.report.html.page import Report, write_report

__all__ = ["Listing", "Report", "write_report"]
