/** The end of a pool: its Machines, the group, the launch template, and the stored data. Pure. */
import { legacyFalse } from '../../../machinery/api/conditions.ts';
import type { Action, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { callCloud } from '../../ports/index.ts';
import { isPassing, rereadAfter, retryAfter } from '../engine/step.ts';
import { carries, evidence } from '../engine/tags.ts';
import { asgReady, describeFailure, report } from './conditions.ts';
import { emptied, instancesOf } from './group.ts';
import { answerHooks, endedMachines } from './hosts.ts';
import type { Observed } from './observe.ts';
import type { AWSMachinePoolStatus } from './schema.ts';
import { deleteData } from './secrets.ts';

type Planned = Plan<AWSMachinePoolStatus>;

/** Seconds. */
const [soon, later] = [5, 30];

/** `end`: the plan when nothing is left. */
export const remove = (observed: Observed, context: Context, end: Planned): Planned => {
  const { pool, note, owner, region, cloud, cloudState, awsMachines, machines } = observed;
  if (!note || !owner) return end;
  if (cloud === 'unread') return {};
  const failure = context.lastFailure?.port === 'cloud' ? context.lastFailure : undefined;
  const going = (actions: Action[], message: string, requeueAfter: number): Planned => ({
    actions,
    status: report(
      pool,
      [
        failure
          ? legacyFalse(asgReady, 'ASGDeletionInProgress', 'Error', describeFailure(failure))
          : legacyFalse(asgReady, 'ASGDeletionInProgress', 'Info', message),
      ],
      { ready: false, replicas: instancesOf(cloudState.group).length },
    ),
    requeueAfter: failure ? retryAfter(context) : requeueAfter,
  });
  if (cloud !== 'known')
    return isPassing(cloud.unreadable) ? { requeueAfter: rereadAfter(context) } : going([], cloud.unreadable, later);
  const owned = evidence(owner);
  const { template } = cloudState;
  // What carries other tags belongs to another owner, and stays.
  const group = cloudState.group && carries(cloudState.group.Tags, owned) ? cloudState.group : undefined;
  const hosts = { pool, group, awsMachines, machines };
  const left = instancesOf(group).length;
  const members = awsMachines.state === 'found' ? awsMachines.value.length : 0;
  if (group && (left > 0 || members > 0) && !group.Status)
    return going(
      [...emptied(group, region, owned), ...endedMachines(hosts, true), ...answerHooks(hosts, region, owned)],
      `Waiting for ${Math.max(left, members)} instances to be drained and terminated`,
      later,
    );
  if (!group && members > 0) return going(endedMachines(hosts, true), `Waiting for ${members} AWSMachines`, later);
  if (group) {
    const input = { AutoScalingGroupName: group.AutoScalingGroupName, ForceDelete: true };
    const actions = group.Status ? [] : [callCloud(region, 'DeleteAutoScalingGroup', input, owned)];
    return going(actions, 'Auto Scaling deletes the group', soon);
  }
  if (template && carries(template.Tags, owned)) {
    const input = { LaunchTemplateId: template.LaunchTemplateId };
    return going([callCloud(region, 'DeleteLaunchTemplate', input, owned)], 'EC2 deletes the launch template', soon);
  }
  const hasFailed = failure !== undefined;
  return {
    ...end,
    actions: deleteData(pool, note, owned),
    ...(hasFailed && { ...going(deleteData(pool, note, owned), '', soon), ...end }),
  };
};
