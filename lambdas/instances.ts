/**
 * Handles state changes of instances and notices about them: requeues the AWSMachine, or records
 * the notice on it. A notice of AWS Health requeues the read of the status of its cluster's
 * instances, and a change of an alarm its read for the pools that name it.
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
    about: ({ region, detail: { 'instance-id': instance, state, alarmName: alarm, affectedEntities = [] } }) => {
      if (instance !== undefined) return { region, instance, state };
      return alarm === undefined ? { region, noticed: affectedEntities.length } : { region, alarm };
    },
    run: (waking, event) => {
      const { region, detail } = event;
      const { 'instance-id': instanceId, state, alarmName, affectedEntities } = detail;
      if (alarmName !== undefined) return waking.readAlarm(alarmName);
      if (instanceId !== undefined && typeof state !== 'object')
        return waking.wake({ region, instanceId, state, notice: noticeOf(event) });
      if (affectedEntities) return waking.readStatus(affectedEntities.map(({ entityValue }) => entityValue));
      throw new Error('the event names no instance');
    },
  });

export const handler = wakes(once(() => createWaking(foundationOf(baseEnvironment(process.env)))));
