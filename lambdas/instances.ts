/**
 * Handles state changes of instances and notices about them: requeues the AWSMachine, or records
 * the notice on it. A notice of AWS Health requeues the read of the status of its cluster's
 * instances, a change of an alarm its read for the pools that name it, and one of an Auto Scaling group
 * its pool.
 */
import { instanceEvent, noticeOf } from '../adapters/aws/lambda/events.ts';
import { once } from '../machinery/once.ts';
import { baseEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { foundationOf } from './runtime/aws-ports.ts';
import { createWaking, type Waking } from './runtime/waking.ts';

export const wakes = (runtime: () => Waking) =>
  handles(instanceEvent, {
    runtime,
    about: ({ region, detail }) => {
      const {
        'instance-id': instance,
        state,
        alarmName: alarm,
        AutoScalingGroupName: group,
        affectedEntities,
      } = detail;
      if (instance !== undefined) return { region, instance, state };
      if (group !== undefined) return { region, group };
      return alarm === undefined ? { region, noticed: affectedEntities?.length ?? 0 } : { region, alarm };
    },
    run: (waking, event) => {
      const { region, detail } = event;
      const { 'instance-id': instanceId, state, alarmName, AutoScalingGroupName, affectedEntities } = detail;
      if (AutoScalingGroupName !== undefined) return waking.followGroup(AutoScalingGroupName);
      if (alarmName !== undefined) return waking.readAlarm(alarmName);
      if (instanceId !== undefined && typeof state !== 'object')
        return waking.wake({ region, instanceId, state, notice: noticeOf(event) });
      if (affectedEntities) return waking.readStatus(affectedEntities.map(({ entityValue }) => entityValue));
      throw new Error('the event names no instance');
    },
  });

export const handler = wakes(once(() => createWaking(foundationOf(baseEnvironment(process.env)))));
