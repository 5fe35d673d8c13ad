"""Numbers of events, against a count by hand."""

from collections import Counter

from checks import same
from pypuppetdb.QueryBuilder import EqualsOperator

COLUMNS = {"success": "successes", "failure": "failures", "noop": "noops", "skipped": "skips"}
LATEST = EqualsOperator("latest_report?", True)


def by_certname(service):
    """event_counts(summarize_by='certname')"""
    rows = service.db.event_counts(summarize_by="certname")
    expected = _count(service.ask("events"), lambda event: event["certname"])
    same("counts", {row["subject"]["title"]: _numbers(row) for row in rows}, expected)


def by_resource(service):
    """event_counts(summarize_by='resource') of the latest reports"""
    rows = service.db.event_counts(summarize_by="resource", query=LATEST)
    expected = _count(
        service.ask("events", query=["=", "latest_report?", True]),
        lambda event: (event["resource_type"], event["resource_title"]),
    )
    found = {(row["subject"]["type"], row["subject"]["title"]): _numbers(row) for row in rows}
    same("counts", found, expected)


def by_class(service):
    """event_counts(summarize_by='containing_class') in order, with a limit and a total"""
    expected = _count(service.ask("events"), lambda event: event["containing_class"])
    rows = service.db.event_counts(
        summarize_by="containing_class",
        order_by='[{"field": "successes", "order": "desc"}]',
        limit=3,
        include_total=True,
    )
    same("total", service.db.total, len(expected))
    same("successes", [row["successes"] for row in rows], _highest(expected)[:3])


def of_nodes(service):
    """event_counts(count_by='certname')"""
    rows = service.db.event_counts(summarize_by="resource", count_by="certname")
    pairs = {
        (event["resource_type"], event["resource_title"], event["certname"], event["status"])
        for event in service.ask("events")
    }
    expected = Counter((kind, title) for kind, title, _, status in pairs if status == "failure")
    found = {
        (row["subject"]["type"], row["subject"]["title"]): row["failures"]
        for row in rows
        if row["failures"] > 0
    }
    same("nodes with failures", found, dict(expected))


def filtered(service):
    """event_counts(count_filter=…)"""
    rows = service.db.event_counts(summarize_by="certname", count_filter='[">", "failures", 1]')
    expected = {
        name
        for name, numbers in _count(
            service.ask("events"), lambda event: event["certname"]
        ).items()
        if numbers["failures"] > 1
    }
    same("nodes", {row["subject"]["title"] for row in rows}, expected)


def aggregate(service):
    """aggregate_event_counts(): one kind, and several"""
    events = service.ask("events", query=["=", "latest_report?", True])
    failures = len({event["certname"] for event in events if event["status"] == "failure"})
    total = len({event["certname"] for event in events})
    one = service.db.aggregate_event_counts("certname", query=LATEST, count_by="certname")
    one = one[0] if isinstance(one, list) else one
    same("failures", one["failures"], failures)
    same("total", one["total"], total)
    both = service.db.aggregate_event_counts("certname,containing_class", query=LATEST)
    plain = service.ask(
        "aggregate-event-counts",
        query=["=", "latest_report?", True],
        summarize_by="certname,containing_class",
    )
    same("kinds", {row["summarize_by"] for row in both}, {"certname", "containing_class"})
    same("counts", both, plain)


def _count(events, subject):
    counts = {}
    for event in events:
        numbers = counts.setdefault(subject(event), dict.fromkeys(COLUMNS.values(), 0))
        if event["status"] in COLUMNS:
            numbers[COLUMNS[event["status"]]] += 1
    return counts


def _numbers(row):
    return {name: row[name] for name in COLUMNS.values()}


def _highest(counts):
    return sorted((numbers["successes"] for numbers in counts.values()), reverse=True)


CHECKS = (by_certname, by_resource, by_class, of_nodes, filtered, aggregate)
