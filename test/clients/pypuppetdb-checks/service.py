"""The service, as pypuppetdb and as plain HTTP see it."""

import json
import urllib.parse
import urllib.request
from datetime import datetime, timezone

from pypuppetdb import connect


class Service:
    def __init__(self, host, port, token=None):
        self.host, self.port, self.token = host, port, token
        self.db = self.connect(token=token)
        self.url = f"http://{host}:{port}"
        self.reports = self.ask("reports", query=["~", "certname", "."])
        self.nodes = self.ask("nodes")

    def connect(self, **credentials):
        """The library as it comes; with a token it would take HTTPS for granted."""
        return connect(host=self.host, port=self.port, protocol="http", **credentials)

    def ask(self, path, **parameters):
        """The rows that plain HTTP answers with, `path` being below the query API."""
        return self.get(f"/pdb/query/v4/{path}", **parameters)

    def get(self, path, **parameters):
        """Any JSON that plain HTTP answers with."""
        text = urllib.parse.urlencode(
            {
                name: value if isinstance(value, str) else json.dumps(value)
                for name, value in parameters.items()
            }
        )
        headers = {"X-Authentication": self.token} if self.token else {}
        request = urllib.request.Request(f"{self.url}{path}?{text}", headers=headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


def time(text):
    """A time of an answer; None stays None."""
    if text is None:
        return None
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
