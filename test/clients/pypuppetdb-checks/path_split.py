"""Reads nodes of the service and facts of a PuppetDB over one address: path_split.py PORT TOKEN."""

import sys
import warnings

import pypuppetdb

warnings.simplefilter("ignore")
db = pypuppetdb.connect(
    host="127.0.0.1", port=int(sys.argv[1]), protocol="https", ssl_verify=False, token=sys.argv[2]
)
for node in db.nodes(with_status=True):
    print("node", node.name, node.status)
    for fact in db.facts("kernel"):
        print("fact", fact.node, fact.name, fact.value)
    for fact in node.facts():
        print("fact of the node", fact.node, fact.name, fact.value)
