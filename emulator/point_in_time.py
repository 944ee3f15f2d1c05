"""Point-in-time recovery for MiniStack's tables. MiniStack alone restores a table as it is now, whatever time is asked for.

Keeps what each write of the last hour replaced, in memory: recovery reaches back to the start of this process at most.
"""

import copy
import time
from collections import defaultdict, deque

from ministack.core.responses import AccountRegionScopedDict, error_response_json, json_response
from ministack.services import dynamodb

SECONDS = 3600
started = time.time()
# Of all tables.
writes = 0
# Per table: (time, partition key, sort key, the item before or None), oldest first.
replaced = AccountRegionScopedDict()


def earliest():
    return max(started, time.time() - SECONDS)


def key_of(table, item):
    sort = table["sk_name"]
    return (
        dynamodb._extract_key_val(item.get(table["pk_name"])),
        dynamodb._extract_key_val(item.get(sort)) if sort else "__no_sort__",
    )


emit = dynamodb._emit_stream_event


def remember(table_name, event_name, old_item, new_item):
    global writes
    writes += 1
    emit(table_name, event_name, old_item, new_item)
    if not dynamodb._pitr_settings.get(table_name):
        return
    table = dynamodb._tables[table_name]
    if table_name not in replaced:
        replaced[table_name] = deque()
    known = replaced[table_name]
    known.append((time.time(), *key_of(table, new_item or old_item), old_item))
    while known[0][0] < earliest():
        known.popleft()


def items_at(table_name, moment):
    items = defaultdict(dict, {pk: dict(sorted_items) for pk, sorted_items in dynamodb._tables[table_name]["items"].items()})
    for at, pk, sk, old_item in reversed(replaced.get(table_name, ())):
        if at <= moment:
            break
        if old_item is None:
            items[pk].pop(sk, None)
        else:
            items[pk][sk] = old_item
    return copy.deepcopy(items)


restore_as_it_is = dynamodb._restore_table_to_point_in_time


def restore(data):
    source = data.get("SourceTableName") or dynamodb._normalize_table_name(data.get("SourceTableArn") or "")
    if source in dynamodb._tables and not dynamodb._pitr_settings.get(source):
        return error_response_json(
            "PointInTimeRecoveryUnavailableException", f"Point in time recovery is not enabled for table '{source}'", 400
        )
    now = time.time()
    moment = now if data.get("UseLatestRestorableTime") else data.get("RestoreDateTime", now)
    if not earliest() <= moment <= now:
        return error_response_json(
            "InvalidRestoreTimeException",
            f"RestoreDateTime has to be between {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(earliest() + 1))} and now",
            400,
        )
    status, headers, body = restore_as_it_is(data)
    if status == 200:
        target = dynamodb._tables[data["TargetTableName"]]
        target["items"] = items_at(source, moment)
        dynamodb._update_counts(target)
    return status, headers, body


def describe(data):
    name = data.get("TableName")
    if name not in dynamodb._tables:
        return error_response_json("TableNotFoundException", f"Table not found: {name}", 400)
    recovery = {"PointInTimeRecoveryStatus": "DISABLED"}
    if dynamodb._pitr_settings.get(name):
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "EarliestRestorableDateTime": int(earliest()) + 1,
            "LatestRestorableDateTime": int(time.time()),
        }
    description = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
    return json_response({"ContinuousBackupsDescription": description})


def install():
    dynamodb._emit_stream_event = remember
    dynamodb._restore_table_to_point_in_time = restore
    dynamodb._describe_continuous_backups = describe
