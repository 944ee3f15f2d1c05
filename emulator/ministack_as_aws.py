"""MiniStack, with what AWS does otherwise and an installation counts on.

Its CloudFormation makes a table or a queue anew, empty, when a property of it changes that AWS changes in place. Its Step
Functions go on waiting for the token of a task whose function failed, and try the next retrier where the first that names
an error allows no more. Its EventBridge invokes a function once, though that fails.
"""

import json
import threading

from ministack.app import main
from ministack.services import dynamodb, eventbridge, lambda_svc, sqs, stepfunctions
from ministack.services.cloudformation import provisioners

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

if __name__ == "__main__":
    main()
