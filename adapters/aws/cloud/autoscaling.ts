/** Calls of EC2 Auto Scaling. */
import {
  AutoScalingClient,
  CancelInstanceRefreshCommand,
  CompleteLifecycleActionCommand,
  CreateAutoScalingGroupCommand,
  CreateOrUpdateTagsCommand,
  DeleteAutoScalingGroupCommand,
  DeleteLifecycleHookCommand,
  DeleteTagsCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  DescribeLifecycleHooksCommand,
  DescribeScalingActivitiesCommand,
  PutLifecycleHookCommand,
  RecordLifecycleActionHeartbeatCommand,
  ResumeProcessesCommand,
  StartInstanceRefreshCommand,
  SuspendProcessesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { activity, group, hook, refresh } from './autoscaling-shapes.ts';
import { list, nothing, optional, record, text, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

export const operations = (config: ClientConfig): Operations<'autoscaling'> => {
  const client = new AutoScalingClient(config);
  return {
    DescribeAutoScalingGroups: (input) =>
      client
        .send(new DescribeAutoScalingGroupsCommand(given(input)))
        .then(record({ AutoScalingGroups: list(group), NextToken: textIfAny })),
    CreateAutoScalingGroup: (input) => client.send(new CreateAutoScalingGroupCommand(given(input))).then(nothing),
    UpdateAutoScalingGroup: (input) => client.send(new UpdateAutoScalingGroupCommand(given(input))).then(nothing),
    DeleteAutoScalingGroup: (input) => client.send(new DeleteAutoScalingGroupCommand(given(input))).then(nothing),
    TerminateInstanceInAutoScalingGroup: (input) =>
      client
        .send(new TerminateInstanceInAutoScalingGroupCommand(given(input)))
        .then(record({ Activity: optional(activity) })),
    SuspendProcesses: (input) => client.send(new SuspendProcessesCommand(given(input))).then(nothing),
    ResumeProcesses: (input) => client.send(new ResumeProcessesCommand(given(input))).then(nothing),
    CreateOrUpdateTags: (input) => client.send(new CreateOrUpdateTagsCommand(given(input))).then(nothing),
    DeleteTagsOfGroup: (input) => client.send(new DeleteTagsCommand(given(input))).then(nothing),
    DescribeLifecycleHooks: (input) =>
      client.send(new DescribeLifecycleHooksCommand(given(input))).then(record({ LifecycleHooks: list(hook) })),
    PutLifecycleHook: (input) => client.send(new PutLifecycleHookCommand(given(input))).then(nothing),
    DeleteLifecycleHook: (input) => client.send(new DeleteLifecycleHookCommand(given(input))).then(nothing),
    CompleteLifecycleAction: (input) => client.send(new CompleteLifecycleActionCommand(given(input))).then(nothing),
    RecordLifecycleActionHeartbeat: (input) =>
      client.send(new RecordLifecycleActionHeartbeatCommand(given(input))).then(nothing),
    StartInstanceRefresh: (input) =>
      client.send(new StartInstanceRefreshCommand(given(input))).then(record({ InstanceRefreshId: text })),
    CancelInstanceRefresh: (input) =>
      client.send(new CancelInstanceRefreshCommand(given(input))).then(record({ InstanceRefreshId: textIfAny })),
    DescribeInstanceRefreshes: (input) =>
      client
        .send(new DescribeInstanceRefreshesCommand(given(input)))
        .then(record({ InstanceRefreshes: list(refresh) })),
    DescribeScalingActivities: (input) =>
      client.send(new DescribeScalingActivitiesCommand(given(input))).then(record({ Activities: list(activity) })),
  };
};
