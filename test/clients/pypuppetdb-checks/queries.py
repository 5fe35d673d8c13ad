"""The query builder and PQL, against what Python picks from all rows."""

import re
from collections import Counter
from datetime import datetime

import requests
from checks import same
from pypuppetdb.QueryBuilder import (
    AndOperator,
    EqualsOperator,
    ExtractOperator,
    FromOperator,
    FunctionOperator,
    GreaterEqualOperator,
    GreaterOperator,
    InOperator,
    LessEqualOperator,
    LessOperator,
    NotOperator,
    NullOperator,
    OrOperator,
    RegexOperator,
    SubqueryOperator,
)
from service import time


def comparisons(service):
    """QueryBuilder: =, >, >=, <, <=, ~, null?"""
    border = sorted(row["end_time"] for row in service.reports)[len(service.reports) // 2]
    for operator, chosen in (
        (EqualsOperator("noop", True), lambda row: row["noop"] is True),
        (EqualsOperator("environment", "production"), _in_production),
        (GreaterOperator("end_time", border), lambda row: row["end_time"] > border),
        (GreaterEqualOperator("end_time", border), lambda row: row["end_time"] >= border),
        (LessOperator("end_time", border), lambda row: row["end_time"] < border),
        (LessEqualOperator("end_time", border), lambda row: row["end_time"] <= border),
        (GreaterOperator("report_format", 10), lambda row: row["report_format"] > 10),
        (
            RegexOperator("certname", "^[a-d].*[0-9]"),
            lambda row: re.search("^[a-d].*[0-9]", row["certname"]) is not None,
        ),
        (NullOperator("job_id", True), lambda row: row["job_id"] is None),
        (NullOperator("job_id", False), lambda row: row["job_id"] is not None),
    ):
        _expect(service, operator, chosen)


def moments(service):
    """QueryBuilder: a datetime as value"""
    moment = datetime(2026, 1, 15, 12)
    _expect(
        service,
        LessOperator("end_time", moment),
        lambda row: time(row["end_time"]).replace(tzinfo=None) < moment,
    )


def combinations(service):
    """QueryBuilder: and, or, not"""
    either = OrOperator()
    either.add([EqualsOperator("status", "failed"), EqualsOperator("status", "changed")])
    neither = NotOperator()
    neither.add(RegexOperator("certname", "1"))
    both = AndOperator()
    both.add([either, neither])
    _expect(
        service,
        both,
        lambda row: row["status"] in ("failed", "changed") and "1" not in row["certname"],
    )


def membership(service):
    """QueryBuilder: in with an array"""
    names = sorted({row["certname"] for row in service.reports})[::3]
    among = InOperator("certname")
    among.add_array(names)
    _expect(service, among, lambda row: row["certname"] in names)


def subqueries(service):
    """QueryBuilder: in with select_… and with from"""
    failures = {
        row["report"] for row in service.ask("events", query=["=", "status", "failure"])
    }
    subquery = SubqueryOperator("events")
    subquery.add_query(EqualsOperator("status", "failure"))
    extract = ExtractOperator()
    extract.add_field("report")
    extract.add_query(subquery)
    old_style = InOperator("hash")
    old_style.add_query(extract)
    _expect(service, old_style, lambda row: row["hash"] in failures)

    extract = ExtractOperator()
    extract.add_field("report")
    extract.add_query(EqualsOperator("status", "failure"))
    source = FromOperator("events")
    source.add_query(extract)
    new_style = InOperator("hash")
    new_style.add_query(source)
    _expect(service, new_style, lambda row: row["hash"] in failures)


def groups(service):
    """QueryBuilder: extract with a function and group_by"""
    extract = ExtractOperator()
    extract.add_field([FunctionOperator("count"), "status"])
    extract.add_group_by("status")
    rows = service.db._query("reports", query=extract)
    found = {row["status"]: row["count"] for row in rows}
    same("counts", found, dict(Counter(row["status"] for row in service.reports)))


def roots(service):
    """QueryBuilder: from at the root, with order_by, limit and offset"""
    source = FromOperator("reports")
    source.add_query(EqualsOperator("environment", "production"))
    source.add_order_by([["hash", "desc"]])
    source.add_limit(6)
    source.add_offset(3)
    hashes = [row["hash"] for row in _pql(service, str(source))]
    expected = sorted((row["hash"] for row in service.reports if _in_production(row)))
    same("hashes", hashes, expected[::-1][3:9])


def languages(service):
    """PQL"""
    text = 'reports[certname, hash] { status = "failed" and certname ~ "." order by hash limit 9 }'
    expected = sorted(
        (row["hash"], row["certname"]) for row in service.reports if row["status"] == "failed"
    )
    found = [(row["hash"], row["certname"]) for row in _pql(service, text)]
    same("reports", found, expected[:9])
    text = "nodes[certname] { latest_report_status = 'changed' }"
    names = {row["certname"] for row in _pql(service, text)}
    same(
        "nodes",
        names,
        {
            row["certname"]
            for row in service.ask("nodes")
            if row["latest_report_status"] == "changed"
        },
    )


def mistakes(service):
    """a query that is wrong: 400 with a sentence"""
    try:
        list(service.db.reports(query=EqualsOperator("colour", "red")))
    except requests.HTTPError as error:
        same("status", error.response.status_code, 400)
        same("sentence names the field", "colour" in error.response.text, True)
    else:
        raise AssertionError("there was an answer")


def _pql(service, text):
    """Debian 12's version has the endpoint, but no method for it yet."""
    if hasattr(service.db, "pql"):
        return list(service.db.pql(text))
    return service.db._query("pql", query=text)


def _expect(service, operator, chosen):
    found = {report.hash_ for report in service.db.reports(query=operator)}
    expected = {row["hash"] for row in service.reports if chosen(row)}
    same(f"reports with {operator}", sorted(found), sorted(expected))


def _in_production(row):
    return row["environment"] == "production"


CHECKS = (
    comparisons,
    moments,
    combinations,
    membership,
    subqueries,
    groups,
    roots,
    languages,
    mistakes,
)
