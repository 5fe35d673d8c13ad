"""Nodes, with and without their status."""

from datetime import datetime, timedelta, timezone

import requests
from checks import same
from service import time

LONG_AGO = 24 * 365 * 50


def listed(service):
    """nodes()"""
    nodes = {node.name: node for node in service.db.nodes()}
    same("names", sorted(nodes), sorted(row["certname"] for row in service.nodes))
    for row in service.nodes:
        _compare(nodes[row["certname"]], row)


def one(service):
    """node(name)"""
    for row in service.nodes:
        _compare(service.db.node(row["certname"]), row)


def unknown(service):
    """node(name) of a node that is not known: 404"""
    try:
        service.db.node("nobody.example")
    except requests.HTTPError as error:
        same("status", error.response.status_code, 404)
    else:
        raise AssertionError("there was an answer")


def with_status(service):
    """nodes(with_status=True): status and numbers of events"""
    counts = service.ask(
        "event-counts", query=["=", "latest_report?", True], summarize_by="certname"
    )
    events = {count["subject"]["title"]: count for count in counts}
    rows = {row["certname"]: row for row in service.nodes}
    nodes = list(service.db.nodes(with_status=True, unreported=LONG_AGO))
    same("number", len(nodes), len(rows))
    for node in nodes:
        same(f"status of {node.name}", node.status, _status(rows[node.name]))
        same(f"events of {node.name}", node.events, events.get(node.name))
    same("nodes with events", sum(node.events is not None for node in nodes), len(events))


def without_numbers(service):
    """nodes(with_status=True, with_event_numbers=False)"""
    rows = {row["certname"]: row for row in service.nodes}
    for node in service.db.nodes(
        with_status=True, with_event_numbers=False, unreported=LONG_AGO
    ):
        same(f"status of {node.name}", node.status, _status(rows[node.name]))


def unreported(service):
    """nodes(with_status=True, unreported=2): those not heard of for two hours"""
    border = datetime.now(timezone.utc) - timedelta(hours=2)
    expected = {
        row["certname"]
        for row in service.nodes
        if row["report_timestamp"] is None or time(row["report_timestamp"]) < border
    }
    nodes = list(service.db.nodes(with_status=True, unreported=2))
    same("names", {node.name for node in nodes if node.status == "unreported"}, expected)


def paged(service):
    """nodes() in pages, with include_total"""
    names = []
    for offset in range(0, len(service.nodes), 5):
        page = service.db.nodes(
            order_by='[{"field": "certname"}]', limit=5, offset=offset, include_total=True
        )
        names += [node.name for node in page]
        same("total", service.db.total, len(service.nodes))
    same("names", names, sorted(row["certname"] for row in service.nodes))


def own_reports(service):
    """node(name).reports()"""
    for row in service.nodes[:5]:
        hashes = {report.hash_ for report in service.db.node(row["certname"]).reports()}
        expected = {
            report["hash"] for report in service.reports if report["certname"] == row["certname"]
        }
        same(f"reports of {row['certname']}", hashes, expected)


def deactivated(service):
    """command('deactivate node')"""
    name = "left.python.example"
    payload = {"certname": name, "producer_timestamp": "2026-01-02T03:04:05.006Z"}
    answer = service.db.command("deactivate node", payload)
    same("keys of the answer", "uuid" in answer, True)
    same("time", service.db.node(name).deactivated, time(payload["producer_timestamp"]))
    same("listed", name in {node.name for node in service.db.nodes()}, False)


def _status(row):
    if row["report_timestamp"] is None:
        return "unreported"
    if row["latest_report_noop"] and row["latest_report_noop_pending"]:
        return "noop"
    return row["latest_report_status"]


def _compare(node, row):
    for attribute in ("report_timestamp", "catalog_timestamp", "facts_timestamp"):
        same(f"{attribute} of {node.name}", getattr(node, attribute), time(row[attribute]))
    for attribute in (
        "report_environment",
        "catalog_environment",
        "facts_environment",
        "latest_report_hash",
        "cached_catalog_status",
    ):
        same(f"{attribute} of {node.name}", getattr(node, attribute), row[attribute])
    same("deactivated", node.deactivated, time(row["deactivated"]) or False)
    same("expired", node.expired, time(row["expired"]) or False)


CHECKS = (
    listed,
    one,
    unknown,
    with_status,
    without_numbers,
    unreported,
    paged,
    own_reports,
    deactivated,
)
