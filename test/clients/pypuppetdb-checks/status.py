"""Version, status, environments, and what the service keeps nothing of."""

import requests
from checks import same


def version(service):
    """current_version()"""
    same("version", service.db.current_version(), service.get("/pdb/meta/v1/version")["version"])


def status(service):
    """status()"""
    same("state", service.db.status()["state"], "running")
    path = "/status/v1/services/puppetdb-status"
    same("status", service.db.status(), service.get(path))


def environments(service):
    """environments()"""
    names = sorted(row["name"] for row in service.db.environments())
    same("environments", names, sorted(row["name"] for row in service.ask("environments")))
    used = {row["environment"] for row in service.reports}
    same("environments of reports that are missing", used - set(names), set())


def metrics(service):
    """metric(): a dictionary, or refused as PuppetDB does over plain HTTP"""
    try:
        same("type", type(service.db.metric()), dict)
    except requests.HTTPError as error:
        same("refused with 403 or 404", error.response.status_code in (403, 404), True)


def empty(service):
    """facts(), fact_names(), resources(), catalogs(), factsets(), inventory(): empty"""
    db = service.db
    for call in (db.facts, db.fact_names, db.resources, db.catalogs, db.factsets, db.inventory):
        same(call.__name__, list(call()), [])


CHECKS = (version, status, environments, metrics, empty)
