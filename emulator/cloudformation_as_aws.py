"""MiniStack's CloudFormation, with what AWS does otherwise when an update or a deletion fails.

When an update fails, MiniStack deletes what the update had reached, tables included, and goes on showing the refused template.
When a custom resource refuses its deletion, it deletes all others. It finds a stack to delete only by its name; the CDK uses the
ARN. It does not accept the deletion of a change set that is gone, with which the CDK begins an update.
"""

from ministack.services.cloudformation import _stacks, changesets, handlers, stacks

deploy = stacks._deploy_stack_async
delete_resource = stacks._delete_resource
delete_stack = handlers._delete_stack
delete_change_set = handlers._delete_change_set
delete_all = stacks._delete_stack_async

# The resources before the update, by the stack's name.
before = {}
# Names of stacks of which a custom resource refused its deletion.
refused = set()


async def deploy_or_restore(stack_name, *arguments, is_update=False, previous_stack=None):
    if not is_update:
        return await deploy(stack_name, *arguments)
    before[stack_name] = previous_stack["_resources"]
    try:
        await deploy(stack_name, *arguments, is_update=True, previous_stack=previous_stack)
    finally:
        del before[stack_name]
    stack = _stacks[stack_name]
    if "ROLLBACK" in stack["StackStatus"]:
        stack["_template_body"] = previous_stack["_template_body"]


def delete_or_restore(resource_type, physical_id, props, stack_name=None, logical_id=None, *arguments):
    """A rollback gives a resource that existed its former properties."""
    kept = before.get(stack_name, {}).get(logical_id)
    if kept and _stacks[stack_name]["StackStatus"] == "UPDATE_ROLLBACK_IN_PROGRESS":
        former, attributes = kept.get("Properties", {}), kept.get("Attributes", {})
        return stacks._update_resource(resource_type, physical_id, props, former, stack_name, logical_id, attributes)
    if stack_name in refused:
        raise RuntimeError("what depends on this could not be deleted")
    try:
        return delete_resource(resource_type, physical_id, props, stack_name, logical_id, *arguments)
    except Exception:
        if stacks._is_custom_resource(resource_type):
            refused.add(stack_name)
        raise


async def delete_all_or_stop(stack_name, stack_id):
    refused.discard(stack_name)
    await delete_all(stack_name, stack_id)
    if stack_name in refused:
        refused.discard(stack_name)
        _stacks[stack_name]["StackStatus"] = "DELETE_FAILED"
        stacks._add_event(stack_id, stack_name, stack_name, "AWS::CloudFormation::Stack", "DELETE_FAILED", "", stack_id)


def delete_stack_by_arn(params):
    name = handlers._p(params, "StackName")
    return delete_stack({**params, "StackName": [name.split("/")[1] if name.startswith("arn:") else name]})


def delete_change_set_if_there(params):
    _, found = changesets._find_change_set(handlers._p(params, "ChangeSetName"), handlers._p(params, "StackName"))
    return delete_change_set(params) if found else handlers._xml(200, "DeleteChangeSetResponse", "")


def install():
    for module in (stacks, changesets, handlers):
        module._deploy_stack_async = deploy_or_restore
    for module in (stacks, handlers):
        module._delete_stack_async = delete_all_or_stop
    stacks._delete_resource = delete_or_restore
    handlers._ACTION_HANDLERS["DeleteStack"] = delete_stack_by_arn
    handlers._ACTION_HANDLERS["DeleteChangeSet"] = delete_change_set_if_there
