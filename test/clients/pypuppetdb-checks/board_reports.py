"""Puppetboard's pages about reports: what each asks for, and what it reads of it."""

from collections import Counter

from board import any_of, both, events_of
from checks import same
from pypuppetdb.QueryBuilder import (
    EqualsOperator,
    ExtractOperator,
    FromOperator,
    GreaterEqualOperator,
    InOperator,
    LessEqualOperator,
    NullOperator,
    RegexOperator,
)
from service import time

BY_END = '[{"field": "end_time", "order": "desc"}]'
LINE = {"time", "level", "source", "tags", "message", "file", "line"}


def table(service, query, **paging):
    """Hashes and the total that the table of reports shows, with a look at all it reads of each."""
    rows = {row["hash"]: row for row in service.reports}
    hashes = []
    for report in service.db.reports(
        query=query, order_by=BY_END, include_total=True, **paging
    ):
        row = rows[report.hash_]
        same("node", report.node, row["certname"])
        same("end", report.end, time(row["end_time"]))
        same("version", report.version, row["configuration_version"])
        same("agent", report.agent_version, row["puppet_version"])
        values = {(one["category"], one["name"]): one["value"] for one in report.metrics}
        same("metrics", len(values), len(row["metrics"]["data"]))
        hashes.append(report.hash_)
    return hashes, service.db.total


def reports_table(service):
    """Puppetboard: table of reports: pages, a search in three fields, times, statuses with noop"""
    rows = sorted(service.reports, key=lambda row: row["end_time"], reverse=True)
    page, total = table(service, None, limit=10, offset=10)
    same("rows of a page", len(page), min(10, max(0, len(rows) - 10)))
    same("total", total, len(rows))
    certname = service.nodes[0]["certname"]
    word = certname.split(".")[0]
    search = both(
        any_of(
            RegexOperator("certname", word),
            RegexOperator("puppet_version", word),
            RegexOperator("configuration_version", word),
        )
    )
    middle = rows[len(rows) // 2]["end_time"]
    last = rows[0]["end_time"]
    between = both(
        both(GreaterEqualOperator("end_time", middle), LessEqualOperator("end_time", last))
    )
    changed = both(EqualsOperator("status", "changed"), EqualsOperator("noop", False))
    unchanged = both(EqualsOperator("status", "unchanged"), EqualsOperator("noop", False))
    silent = both(EqualsOperator("noop", True), EqualsOperator("noop_pending", False))
    pending = both(EqualsOperator("noop", True), EqualsOperator("noop_pending", True))
    cases = (
        (both(EqualsOperator("certname", certname)), lambda row: row["certname"] == certname),
        (
            search,
            lambda row: any(
                word in (row[name] or "")
                for name in ("certname", "puppet_version", "configuration_version")
            ),
        ),
        (between, lambda row: middle <= row["end_time"] <= last),
        (
            both(any_of(changed, unchanged, silent)),
            lambda row: (row["status"] in ("changed", "unchanged") and row["noop"] is False)
            or (row["noop"] is True and row["noop_pending"] is False),
        ),
        (
            both(any_of(pending)),
            lambda row: row["noop"] is True and row["noop_pending"] is True,
        ),
    )
    for number, (query, wanted) in enumerate(cases):
        expected = {row["hash"] for row in rows if wanted(row)}
        found, total = table(service, query, limit=len(rows), offset=0)
        same(f"rows of case {number}", set(found), expected)
        same(f"total of case {number}", total, len(expected))


def report(service):
    """Puppetboard: page of a report, by its hash and by its code's version: events, log, metrics"""
    for row in service.reports[:20]:
        for name in ("hash", "configuration_version"):
            query = both(
                EqualsOperator("certname", row["certname"]),
                any_of(
                    EqualsOperator("hash", row[name]),
                    EqualsOperator("configuration_version", row[name]),
                ),
            )
            found = next(service.db.reports(query=query))
            attribute = {"hash": "hash_", "configuration_version": "version"}[name]
            same(f"report by {name}", getattr(found, attribute), row[name])
        found = next(service.db.reports(query=EqualsOperator("hash", row["hash"])))
        for line in found.logs:
            same("fields of a line that are missing", LINE - set(line), set())
            same("tags", all(isinstance(tag, str) for tag in line["tags"]), True)
        events = [
            (event.item["type"], event.item["title"], event.status, event.failed)
            for event in found.events()
        ]
        expected = [
            (one["resource_type"], one["resource_title"], one["status"], one["status"] == "failure")
            for one in events_of(row)
        ]
        same("events", sorted(events), sorted(expected))


def failures(service):
    """Puppetboard: failures: each failed node's latest report, and the first line of its log that says why"""
    query = both(EqualsOperator("latest_report_status", "failed"))
    found = list(service.db.nodes(query=query, with_status=True, with_event_numbers=False))
    failed = [row for row in service.nodes if row["latest_report_status"] == "failed"]
    same("nodes", {node.name for node in found}, {row["certname"] for row in failed})
    for node in found:
        report = next(
            service.db.reports(query=both(EqualsOperator("hash", node.latest_report_hash)))
        )
        same("node", report.node, node.name)
        reasons = [
            line["message"]
            for line in report.logs
            if line["level"] not in ("info", "notice", "warning") and line["source"] != "Facter"
        ]
        same(f"{node.name} says why", len(reasons) > 0, True)


def classes(service):
    """Puppetboard: classes: events of latest reports by class, and the nodes of one class"""
    query = both(NullOperator("deactivated", True))
    by_class = Counter()
    for node in service.db.nodes(query=query, with_status=True):
        if node.latest_report_hash is None:
            continue
        for report in service.db.reports(query=EqualsOperator("hash", node.latest_report_hash)):
            for event in report.events():
                by_class[event.item["class"], event.status] += 1
    expected = Counter()
    latest = {row["latest_report_hash"] for row in service.nodes}
    for row in service.reports:
        if row["hash"] in latest:
            for event in events_of(row):
                expected[event["containing_class"], event["status"]] += 1
    same("events", by_class, expected)
    resources = ExtractOperator()
    resources.add_field("certname")
    resources.add_query(
        both(EqualsOperator("type", "Class"), EqualsOperator("title", "Profile::Base"))
    )
    source = FromOperator("resources")
    source.add_query(resources)
    within = InOperator("certname")
    within.add_query(source)
    same("nodes of a class", list(service.db.nodes(query=within, with_status=True)), [])


CHECKS = (
    reports_table,
    report,
    failures,
    classes,
)
