import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { awsCloud } from '../../../adapters/aws/cloud/index.ts';
import { systemClock } from '../../../adapters/memory/clock.ts';
import { autoScalingContract } from '../../contract/auto-scaling.contract.ts';
import type { CloudUnderTest } from '../../contract/cloud.fixture.ts';
import { miniStackGroups } from './deviations.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** MiniStack has no image that a cluster needs, and asks for none: any id will do. */
const open = async (): Promise<CloudUnderTest> => {
  const endpoint = inject('endpoint') ?? process.env.AWS_ENDPOINT_URL ?? '';
  await fetch(`${endpoint}/_ministack/reset`, { method: 'POST' });
  return {
    cloud: awsCloud({ clock: systemClock, clients: { endpoint, credentials } }),
    region: 'us-east-1',
    settle: async (done) => {
      for (let tries = 0; tries < 30 && !(await done()); tries++) await delay(100);
    },
    alarm: async () => {},
    close: async () => {},
  };
};

autoScalingContract('AWS, as MiniStack has it', open, miniStackGroups);
