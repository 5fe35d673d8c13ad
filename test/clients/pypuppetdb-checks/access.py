"""Ways to present a token, and what becomes of who has none."""

import requests
from checks import same


def token(service):
    """connect(token=…): by X-Authentication"""
    db = service.connect(token=service.token or "any where none is asked for")
    same("nodes", len(list(db.nodes())), len(service.nodes))


def password(service):
    """connect(username=…, password=…): by HTTP Basic"""
    db = service.connect(username="board", password=service.token or "any")
    same("nodes", len(list(db.nodes())), len(service.nodes))


def nothing(service):
    """connect(): 401 where the service is closed"""
    same("status", _status(service.connect()), 401 if service.token else 200)


def wrong(service):
    """connect(token=…) with another token: 401 where the service is closed"""
    same("status", _status(service.connect(token="wrong")), 401 if service.token else 200)


def _status(db):
    try:
        list(db.nodes())
    except requests.HTTPError as error:
        return error.response.status_code
    return 200


CHECKS = (token, password, nothing, wrong)
