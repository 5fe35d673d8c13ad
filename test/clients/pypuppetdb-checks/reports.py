"""Reports and their events."""

from checks import same
from pypuppetdb.QueryBuilder import EqualsOperator, RegexOperator
from service import time

BY_END = '[{"field": "end_time", "order": "desc"}, {"field": "hash"}]'
ALL = RegexOperator("certname", ".")
PAGE = 40


def every_report(service):
    """reports(): every field of every report"""
    reports = {report.hash_: report for report in service.db.reports()}
    same("hashes", sorted(reports), sorted(row["hash"] for row in service.reports))
    for row in service.reports:
        _compare(reports[row["hash"]], row)


def filtered(service):
    """reports(query, order_by, limit)"""
    found = service.db.reports(query=EqualsOperator("status", "failed"), order_by=BY_END, limit=7)
    expected = [row for row in _by_end(service.reports) if row["status"] == "failed"]
    same("hashes", [report.hash_ for report in found], [row["hash"] for row in expected[:7]])


def paged(service):
    """reports() in pages, with include_total"""
    hashes = []
    for offset in range(0, len(service.reports), PAGE):
        page = service.db.reports(
            query=ALL, order_by=BY_END, limit=PAGE, offset=offset, include_total=True
        )
        hashes += [report.hash_ for report in page]
        same("total", service.db.total, len(service.reports))
    same("hashes", hashes, [row["hash"] for row in _by_end(service.reports)])


def posted(service):
    """reports() by POST"""
    found = service.db.reports(
        query=EqualsOperator("status", "changed"), limit=1000, request_method="POST"
    )
    expected = {row["hash"] for row in service.reports if row["status"] == "changed"}
    same("hashes", {report.hash_ for report in found}, expected)


def posted_total(service):
    """reports() by POST with include_total"""
    list(service.db.reports(query=ALL, limit=1, include_total=True, request_method="POST"))
    same("total", service.db.total, len(service.reports))


def events_of_reports(service):
    """report.events()"""
    for report in service.db.reports(query=ALL, order_by=BY_END, limit=25):
        expected = service.ask(f"reports/{report.hash_}/events")
        found = list(report.events())
        same(f"events of {report.hash_}", _keys(map(_event, found)), _keys(map(_row, expected)))
        failed = sum(row["status"] == "failure" for row in expected)
        same("failed events", sum(event.failed for event in found), failed)


def every_event(service):
    """events(): every field of every event"""
    found = service.db.events(query=ALL)
    same("events", _keys(map(_event, found)), _keys(map(_row, service.ask("events"))))


def _by_end(rows):
    by_hash = sorted(rows, key=lambda row: row["hash"])
    return sorted(by_hash, key=lambda row: row["end_time"], reverse=True)


def _compare(report, row):
    place = f"of {report.hash_}"
    for attribute, field in (
        ("node", "certname"),
        ("version", "configuration_version"),
        ("format_", "report_format"),
        ("agent_version", "puppet_version"),
        ("transaction", "transaction_uuid"),
        ("environment", "environment"),
        ("code_id", "code_id"),
        ("catalog_uuid", "catalog_uuid"),
        ("cached_catalog_status", "cached_catalog_status"),
    ):
        same(f"{attribute} {place}", getattr(report, attribute), row[field])
    for attribute, field in (
        ("start", "start_time"),
        ("end", "end_time"),
        ("received", "receive_time"),
    ):
        same(f"{attribute} {place}", getattr(report, attribute), time(row[field]))
    noop = row["noop"] and row["noop_pending"]
    same(f"status {place}", report.status, "noop" if noop else row["status"])
    same(f"metrics {place}", report.metrics, row["metrics"]["data"])
    same(f"logs {place}", report.logs, row["logs"]["data"])


def _event(event):
    return [event.node, event.status, event.timestamp.isoformat(), event.hash_, event.item]


def _row(row):
    item = {
        "title": row["resource_title"],
        "type": row["resource_type"],
        "property": row["property"],
        "message": row["message"],
        "old": row["old_value"],
        "new": row["new_value"],
        "class": row["containing_class"],
        "execution_path": row["containment_path"],
        "source_file": row["file"],
        "line_number": row["line"],
    }
    moment = time(row["timestamp"]).isoformat()
    return [row["certname"], row["status"], moment, row["report"], item]


def _keys(things):
    return sorted(map(repr, things))


CHECKS = (every_report, filtered, paged, posted, posted_total, events_of_reports, every_event)
