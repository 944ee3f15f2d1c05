"""MiniStack, with what AWS does otherwise and an installation counts on.

Its CloudFormation makes a table or a queue anew, empty, when a property of it changes that AWS changes in place. Its Step
Functions go on waiting for the token of a task whose function failed, and try the next retrier where the first that names
an error allows no more. Its EventBridge invokes a function once, though that fails. Its S3 computes the signature of a link
from a path that is escaped twice. After a restart its streams are empty
while the mappings keep the positions that they read up to, so they read nothing.

Its state is saved at its end, and in between after changes of tables. STATE_DIR/unsaved exists while the saved state may be
older than the account; after a clean end it is gone.
"""

import asyncio
import json
import os
import stat
import threading
import time
from urllib.parse import unquote

from ministack import app
from ministack.core import persistence
from ministack.core.responses import AccountRegionScopedDict
from ministack.services import dynamodb, eventbridge, lambda_svc, s3, sqs, stepfunctions
from ministack.services.cloudformation import provisioners

import cloudformation_as_aws
import point_in_time
from periodic_save import EVERY, PeriodicSave

HANDLERS = provisioners._RESOURCE_HANDLERS


def update_table(physical_id, old_props, new_props, stack_name):
    if old_props.get("KeySchema") != new_props.get("KeySchema"):
        raise ValueError("a table whose key changes is replaced, which this emulator does not do")
    kept = dynamodb._tables[physical_id]
    kept["DeletionProtectionEnabled"] = new_props.get("DeletionProtectionEnabled", False)
    attributes = {"Arn": kept["TableArn"]}
    if kept.get("LatestStreamArn"):
        attributes["StreamArn"] = kept["LatestStreamArn"]
    return physical_id, attributes


def update_queue(physical_id, old_props, new_props, stack_name):
    kept = sqs._queues[physical_id]
    name, attributes = HANDLERS["AWS::SQS::Queue"]["create"](kept["name"], {**new_props, "QueueName": kept["name"]}, stack_name)
    made = sqs._queues[name]
    for attribute in ("CreatedTimestamp", "RedrivePolicy", "Policy"):
        if attribute in kept["attributes"]:
            made["attributes"][attribute] = kept["attributes"][attribute]
    made["messages"] = kept["messages"]
    return name, attributes


HANDLERS["AWS::DynamoDB::Table"]["update"] = update_table
HANDLERS["AWS::SQS::Queue"]["update"] = update_queue

invoke = stepfunctions._call_lambda
invoke_and_wait = stepfunctions._invoke_with_callback
task = threading.local()


def invoke_for_task(function, event):
    try:
        return invoke(function, event)
    except stepfunctions._ExecutionError as failure:
        token = getattr(task, "token", None)
        if token is not None:
            stepfunctions._send_task_failure({"taskToken": token, "error": failure.error, "cause": failure.cause})
        raise


def wait_unless_failed(resource, arguments, token, state):
    task.token = token
    try:
        return invoke_and_wait(resource, arguments, token, state)
    finally:
        task.token = None


def first_that_names(retriers, error, counts):
    for index, retrier in enumerate(retriers):
        if {error, "States.ALL"}.isdisjoint(retrier["ErrorEquals"]):
            continue
        return (retrier, index) if counts.get(index, 0) < retrier.get("MaxAttempts", 3) else (None, -1)
    return None, -1


stepfunctions._call_lambda = invoke_for_task
stepfunctions._invoke_with_callback = wait_unless_failed
stepfunctions._find_matching_retrier = first_that_names


def invoke_until_done(arn, payload):
    function, config, _ = lambda_svc._get_func_record_for_ref(arn)
    if function and config:
        lambda_svc.invoke_async_with_retry(lambda_svc._execution_record_for_config(function, config), json.loads(payload))


eventbridge._dispatch_to_lambda = invoke_until_done


verify_link = s3._verify_presigned_sigv4
s3._verify_presigned_sigv4 = lambda method, path, *rest: verify_link(method, unquote(path), *rest)


def positions_in(account, region, table):
    """The positions that mappings have read a table's stream up to."""
    return [
        position
        for (owner, where, mapping), position in lambda_svc._dynamodb_stream_positions._data.items()
        if (owner, where) == (account, region)
        and f":table/{table}/stream/" in lambda_svc._esms._data.get((owner, where, mapping), {}).get("EventSourceArn", "")
    ]


tables_alone = dynamodb.get_state


def tables_with_streams():
    """Of each stream, the records that some mapping has not read yet."""
    records, trimmed = AccountRegionScopedDict(), AccountRegionScopedDict()
    for (account, region, table), known in list(dynamodb._stream_records._data.items()):
        start = dynamodb._stream_trimmed._data.get((account, region, table), 0)
        first = max(start, min(positions_in(account, region, table), default=start))
        records._data[account, region, table] = known[first - start :]
        trimmed._data[account, region, table] = first
    return {**tables_alone(), "stream_records": records, "stream_trimmed": trimmed}


def restore_streams():
    saved = persistence.load_state("dynamodb") or {}
    dynamodb._stream_trimmed.update(saved.get("stream_trimmed", {}))
    dynamodb._stream_records.update(saved.get("stream_records", {}))
    for account, region, table in list(dynamodb._tables._data):
        if not dynamodb._stream_records._data.get((account, region, table)):
            # Records come behind what the mappings have read.
            dynamodb._stream_trimmed._data[account, region, table] = max(positions_in(account, region, table), default=0)


dynamodb.get_state = tables_with_streams
unsaved = os.path.join(persistence.STATE_DIR, "unsaved")


def write_unsaved(reason):
    os.makedirs(persistence.STATE_DIR, exist_ok=True)
    with open(unsaved, "w") as file:
        file.write(reason)


def save_between():
    """Writes into another folder first: files of one moment belong together."""
    folder = persistence.STATE_DIR
    persistence.STATE_DIR = os.path.join(folder, "next")
    persistence.save_all(app._build_persistence_save_dict())
    for name in os.listdir(persistence.STATE_DIR):
        os.replace(os.path.join(persistence.STATE_DIR, name), os.path.join(folder, name))


periodic = PeriodicSave(save_between)
# Seconds. Most changes of other services come with one of a table.
AT_LEAST_EVERY = 300


async def save_periodically():
    saved, at = 0, time.monotonic()
    while True:
        await asyncio.sleep(EVERY)
        if saved == point_in_time.writes and time.monotonic() - at < AT_LEAST_EVERY:
            continue
        # Requests are answered between two turns of this loop, so none is half done now.
        if periodic.start():
            saved, at = point_in_time.writes, time.monotonic()


run_ready_scripts = app._run_ready_scripts


async def run_when_ready():
    await run_ready_scripts()
    await save_periodically()


def saved_files(names):
    """Each save replaces the file of its service."""
    files = {name: os.path.join(persistence.STATE_DIR, f"{name}.json") for name in names}
    return {name: os.stat(file)[stat.ST_INO] for name, file in files.items() if os.path.exists(file)}


# Of a service whose state another thread changes while it is written.
SAVES = 20


def save_all(services):
    periodic.end()
    left = services
    for _ in range(SAVES):
        before = saved_files(left)
        persistence.save_all(left)
        after = saved_files(left)
        left = {name: state for name, state in left.items() if after.get(name) in (None, before.get(name))}
        if not left:
            os.remove(unsaved)
            return
        time.sleep(0.1)
    write_unsaved("it could not save " + ", ".join(left))


app.save_all = save_all
app._run_ready_scripts = run_when_ready
point_in_time.install()
cloudformation_as_aws.install()

if __name__ == "__main__":
    if persistence.PERSIST_STATE:
        restore_streams()
        write_unsaved("it was killed")
    app.main()
