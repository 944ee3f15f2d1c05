"""MiniStack, whose CloudFormation keeps what is in a table or a queue when a property of it changes.

Left to itself it makes such a table or queue anew, empty. AWS changes these properties in place.
"""

from ministack.app import main
from ministack.services import dynamodb, sqs
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

if __name__ == "__main__":
    main()
