/** Handles state changes of instances: requeues the AWSMachine. */
import { instanceEvent } from '../adapters/aws/lambda/events.ts';
import { once } from '../machinery/once.ts';
import { baseEnvironment } from './environment.ts';
import { handles } from './handle.ts';
import { foundationOf } from './runtime/aws-ports.ts';
import { createWaking, type Waking } from './runtime/waking.ts';

export const wakes = (runtime: () => Waking) =>
  handles(instanceEvent, {
    runtime,
    about: ({ region, detail }) => ({ region, instance: detail['instance-id'], state: detail.state }),
    run: (waking, { region, detail }) =>
      waking.wake({ region, instanceId: detail['instance-id'], state: detail.state }),
  });

export const handler = wakes(once(() => createWaking(foundationOf(baseEnvironment(process.env)))));
