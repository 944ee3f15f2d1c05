/** EC2's status checks and scheduled events of instances. */
import type { CloudOutput, InstanceEvent } from '../../kinds/ports/cloud/index.ts';
import { describe } from './describe.ts';
import { invalidParameter } from './errors.ts';
import { type InstanceRecord, instanceErrors, instanceState, observedState } from './instance.ts';
import { type Call, type Handlers, scaled } from './state.ts';

export const statusChecks = ['system', 'instance', 'attached-ebs'] as const;
export type StatusCheck = (typeof statusChecks)[number];

/** What is wrong with an instance; absent while nothing is. */
export interface InstanceTrouble {
  impaired: StatusCheck[];
  events: InstanceEvent[];
}

/** Milliseconds at speed 1 until the first checks of a started instance have a result. */
const firstChecks = 120_000;
const mostIds = 100;

/** Checks run only while the instance does. */
const statusOf = ({ account, now }: Call, instance: InstanceRecord, check: StatusCheck): { Status: string } => {
  if (instanceState(instance, now) !== 'running') return { Status: 'not-applicable' };
  const { starts, stopped } = instance;
  if (now < (stopped?.runs ?? starts) + scaled(account, firstChecks)) return { Status: 'initializing' };
  return { Status: instance.trouble?.impaired.includes(check) ? 'impaired' : 'ok' };
};

type Status = CloudOutput<'DescribeInstanceStatus'>['InstanceStatuses'][number];
const view = (call: Call, instance: InstanceRecord): Status => ({
  InstanceId: instance.id,
  InstanceState: { Name: observedState(call, instance) },
  SystemStatus: statusOf(call, instance, 'system'),
  InstanceStatus: statusOf(call, instance, 'instance'),
  AttachedEbsStatus: statusOf(call, instance, 'attached-ebs'),
  Events: instance.trouble?.events ?? [],
});

export const instanceStatusActions = {
  DescribeInstanceStatus: (call, { InstanceIds, IncludeAllInstances = false, MaxResults, NextToken }) => {
    if (InstanceIds && InstanceIds.length > mostIds)
      invalidParameter(`The number of instance IDs is greater than ${mostIds}`);
    const question = { ids: InstanceIds, MaxResults, NextToken };
    const exists = (instance: InstanceRecord) => instanceState(instance, call.now) !== 'terminated';
    const found = describe(call, call.account.instances, instanceErrors, {}, question);
    const shown = found.items.filter((one) =>
      IncludeAllInstances ? exists(one) : observedState(call, one) === 'running',
    );
    return {
      InstanceStatuses: shown.map((instance) => view(call, instance)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },
} satisfies Handlers;
