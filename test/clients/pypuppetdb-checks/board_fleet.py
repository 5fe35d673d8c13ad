"""Puppetboard's pages about the fleet and its nodes: what each asks for, and what it reads of it."""

from collections import Counter
from datetime import datetime, timedelta, timezone

import requests
from board import any_of, both, counted, environments_of, shown
from checks import same
from pypuppetdb.QueryBuilder import (
    EqualsOperator,
    GreaterEqualOperator,
    LessEqualOperator,
    LessOperator,
    NullOperator,
)
from service import time

POPULATION = "puppetlabs.puppetdb.population:name="
NAMED = ("changed", "failed", "unchanged")
SUMS = {"successes", "failures", "noops", "skips"}
BEANS = {f"{POPULATION}num-nodes", f"{POPULATION}num-resources"}
ENDPOINTS = (
    "nodes",
    "resources",
    "facts",
    "factsets",
    "fact-paths",
    "fact-contents",
    "reports",
    "events",
    "edges",
    "environments",
)
TIME = "%Y-%m-%dT%H:%M:%S.%fZ"


def overview(service):
    """Puppetboard: overview of all environments: beans, and nodes by status with their events"""
    # It goes by the release how beans are asked for; ours must be one of those with the newer way.
    numbers = [int(part) for part in service.db.current_version().split(".")]
    same("release takes the newer form", numbers > [6, 9, 0], True)
    nodes = service.db.metric(f"{POPULATION}num-nodes", version="v2")["Value"]
    resources = service.db.metric(f"{POPULATION}num-resources", version="v2")["Value"]
    same("nodes", nodes, len(service.nodes))
    same("resources per node", resources / nodes, 0)
    listed = service.db.nodes(
        query=None, unreported=2, with_status=True, with_event_numbers=True
    )
    listed = list(listed)
    same(
        "nodes by status",
        Counter(node.status for node in listed),
        Counter(shown(row) for row in service.nodes),
    )
    for node in listed:
        if node.events is not None:
            same("sums that are missing", SUMS - set(node.events), set())


def overview_of_environment(service):
    """Puppetboard: overview of one environment: counts of nodes and resources, and its nodes"""
    for name in environments_of(service):
        query = both(EqualsOperator("catalog_environment", name))
        [count] = service.db._query("nodes", query=counted(query))
        [resources] = service.db._query(
            "resources", query=counted(EqualsOperator("environment", name))
        )
        expected = {
            row["certname"] for row in service.nodes if row["catalog_environment"] == name
        }
        same(f"count of {name}", count["count"], len(expected))
        same(f"resources of {name}", resources["count"], 0)
        nodes = service.db.nodes(query=query, unreported=2, with_status=True)
        same(f"nodes of {name}", {node.name for node in nodes}, expected)


def daily_chart(service):
    """Puppetboard: chart of reports by day and status, of the fleet, a node, an environment"""
    today = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    certname = service.nodes[0]["certname"]
    narrowed = ((), ("certname", certname), ("environment", environments_of(service)[0]))
    for narrow in narrowed:
        rows = [row for row in service.reports if not narrow or row[narrow[0]] == narrow[1]]
        for days in range(8):
            start, end = today - timedelta(days=days), today - timedelta(days=days - 1)
            query = both(
                GreaterEqualOperator("producer_timestamp", start.strftime(TIME)),
                LessOperator("producer_timestamp", end.strftime(TIME)),
            )
            if narrow:
                query.add(EqualsOperator(*narrow))
            found = service.db._query("reports", query=counted(query, "status"))
            expected = Counter(
                row["status"] for row in rows if start <= time(row["producer_timestamp"]) < end
            )
            same(f"{narrow} {start}", {row["status"]: row["count"] for row in found}, expected)


def nodes(service):
    """Puppetboard: nodes of each status, and those unreported"""
    for status in NAMED:
        query = both(EqualsOperator("latest_report_status", status))
        found = service.db.nodes(query=query, unreported=2, with_status=True)
        expected = {
            row["certname"] for row in service.nodes if row["latest_report_status"] == status
        }
        same(f"{status} nodes", {node.name for node in found}, expected)
    # Without a zone, which is taken for UTC.
    border = datetime.now(timezone.utc).replace(tzinfo=None, microsecond=0) - timedelta(hours=2)
    query = both(
        any_of(
            NullOperator("report_timestamp", True),
            LessEqualOperator("report_timestamp", border.isoformat()),
        )
    )
    found = service.db.nodes(query=query, unreported=2, with_status=True)
    expected = {row["certname"] for row in service.nodes if shown(row) == "unreported"}
    same("unreported nodes", {node.name for node in found}, expected)


def node(service):
    """Puppetboard: page of a node: itself, and its facts, of which there are none"""
    for row in service.nodes:
        found = service.db.node(row["certname"])
        same("latest report", found.latest_report_hash, row["latest_report_hash"])
        facts = service.db.facts(name=None, query=both(EqualsOperator("certname", found.name)))
        same("facts", list(facts), [])


def metrics(service):
    """Puppetboard: metrics: each of the list can be read, and its attributes be sorted"""
    domains = service.db.metric()
    names = [f"{domain}:{name}" for domain, beans in domains.items() for name in beans]
    same("beans of the overview that are missing", BEANS - set(names), set())
    for name in names:
        same(name, len(sorted(service.db.metric(name, version="v2").items())) > 0, True)


def facts_and_catalogs(service):
    """Puppetboard: facts, inventory and catalogs: empty pages, no errors"""
    same("names of facts", service.db.fact_names(), [])
    same("facts of a name", list(service.db.facts(name="os", query=None)), [])
    inventory = both(any_of(EqualsOperator("name", "fqdn"), EqualsOperator("name", "os")))
    same("inventory", list(service.db.facts(query=inventory)), [])
    compiled = service.db.nodes(
        query=both(NullOperator("catalog_timestamp", False)),
        include_total=True,
        order_by='[{"field": "certname", "order": "asc"}]',
        limit=10,
        offset=0,
    )
    expected = {row["certname"] for row in service.nodes if row["catalog_timestamp"]}
    same("nodes with a catalog", {node.name for node in compiled}, expected)
    same("total", service.db.total, len(expected))


def queries(service):
    """Puppetboard: query page: every endpoint that it offers, and what it shows of a mistake"""
    for endpoint in ENDPOINTS:
        name = "name" if endpoint == "environments" else "certname"
        rows = service.db._query(endpoint, query=f'["~", "{name}", "."]')
        if rows:
            same(f"columns of {endpoint}", all(row.keys() == rows[0].keys() for row in rows), True)
    rows = service.db._query("pql", query="nodes[certname] { certname ~ '.' }")
    same("PQL", len(rows), len(service.nodes))
    try:
        service.db._query("nodes", query='["=", "nothing", 1]')
    except requests.HTTPError as error:
        same("status", error.response.status_code, 400)
        sentence = "'nothing' is not a queryable object for nodes"
        same("a sentence", sentence in error.response.text, True)
    else:
        raise AssertionError("there was an answer")


CHECKS = (
    overview,
    overview_of_environment,
    daily_chart,
    nodes,
    node,
    metrics,
    facts_and_catalogs,
    queries,
)
