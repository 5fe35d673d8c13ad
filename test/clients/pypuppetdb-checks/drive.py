"""Drives the service through pypuppetdb as it comes: drive.py HOST PORT [TOKEN].

What the library makes of an answer is compared with the plain HTTP answer; what a query finds is
compared with what Python itself picks from all rows. Exit code 1 when a check has failed.
"""

import sys

import access
import board_fleet
import board_reports
import counts
import nodes
import queries
import reports
import status
from checks import run
from service import Service

service = Service(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
modules = (status, access, nodes, reports, counts, queries, board_fleet, board_reports)
sys.exit(1 if sum(run(module.CHECKS, service) for module in modules) else 0)
