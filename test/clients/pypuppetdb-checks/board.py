"""What the pages of Puppetboard 7 have in common: how they ask, and what they show."""

from datetime import datetime, timedelta, timezone

from pypuppetdb.QueryBuilder import AndOperator, ExtractOperator, FunctionOperator, OrOperator
from service import time


def both(*conditions):
    """Conditions that all hold."""
    query = AndOperator()
    for condition in conditions:
        query.add(condition)
    return query


def any_of(*conditions):
    """Conditions of which one holds."""
    query = OrOperator()
    for condition in conditions:
        query.add(condition)
    return query


def counted(entity_query, *fields):
    """How many there are, by the fields."""
    query = ExtractOperator()
    query.add_field(FunctionOperator("count"))
    for field in fields:
        query.add_field(field)
        query.add_group_by(field)
    query.add_query(entity_query)
    return query


def environments_of(service):
    """The choice that stands on every page."""
    return [row["name"] for row in service.db.environments()]


def shown(row):
    """The status that a page shows for a node."""
    border = datetime.now(timezone.utc) - timedelta(hours=2)
    if row["report_timestamp"] is None or time(row["report_timestamp"]) < border:
        return "unreported"
    if row["latest_report_noop"] and row["latest_report_noop_pending"]:
        return "noop"
    return row["latest_report_status"]


def events_of(row):
    """The events of a report; where it has none there is no list either."""
    return row["resource_events"]["data"] or []
