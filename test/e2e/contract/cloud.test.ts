import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, inject } from 'vitest';
import { awsCloud } from '../../../adapters/aws/cloud/index.ts';
import { systemClock } from '../../../adapters/memory/clock.ts';
import { cloudContract } from '../../contract/cloud.contract.ts';
import type { CloudUnderTest } from '../../contract/cloud.fixture.ts';
import { cloudListsContract } from '../../contract/cloud-lists.contract.ts';
import { moto as deviations } from './deviations.ts';
import { type Moto, startMoto } from './moto.ts';

let moto: Moto;
beforeAll(async () => {
  moto = await startMoto(inject('programs').motoServer);
});
afterAll(() => moto.stop());

const open = async (): Promise<CloudUnderTest> => {
  await moto.reset();
  return {
    cloud: awsCloud({
      clock: systemClock,
      clients: { endpoint: moto.endpoint, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
      resolveEndpoint: async (at) => ({ ...at, Resolves: true }),
    }),
    region: 'us-east-1',
    settle: async (done) => {
      for (let tries = 0; tries < 50 && !(await done()); tries++) await delay(100);
    },
    close: async () => {},
  };
};

cloudContract('AWS, as moto has it', open, deviations);
cloudListsContract('AWS, as moto has it', open);
