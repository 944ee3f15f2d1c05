/** Where an installation is deployed to: an emulator of our own, another endpoint of the AWS API, or AWS. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../../../emulator/index.ts';
import type { Log } from '../../../machinery/ports.ts';

export interface Place {
  /** For every command that reaches the account. */
  environment: NodeJS.ProcessEnv;
  region: string;
  /** Absent where somebody else runs it: then nothing in it can be killed or counted. */
  emulator?: Emulator;
  close(): Promise<void>;
}

const ownNames = /^(AWS_|KUBECONFIG$|HTTPS?_PROXY$|NO_PROXY$)/i;

/** Nothing of this shell leads elsewhere. */
const cleared = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownNames.test(name)));

/** Beside what the suite prints: functions are killed here on purpose, again and again. */
const logOfEmulator = (): Log => {
  const folder = join(import.meta.dirname, '../../../.build/e2e');
  mkdirSync(folder, { recursive: true });
  const file = createWriteStream(join(folder, 'emulator.log'));
  const write = (message: string, { error, ...keys }: Record<string, unknown> = {}) =>
    file.write(`${message} ${JSON.stringify(keys)} ${error instanceof Error ? error.message : ''}\n`);
  return { info: write, error: write };
};

export interface PlaceOptions {
  /** The account's concurrency limit, where the place is an emulator of our own. */
  concurrency?: number;
}

export const openPlace = async (options: PlaceOptions = {}): Promise<Place> => {
  const given = process.env.AWS_ENDPOINT_URL;
  if (given !== undefined || process.env.TARGET === 'aws') {
    const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
    if (!region) throw new Error('AWS_REGION names no region to deploy to');
    return { environment: process.env, region, close: async () => {} };
  }
  const emulator = await startEmulator({ ...options, log: logOfEmulator() });
  return {
    environment: { ...cleared(), ...emulator.variables },
    region: emulator.region,
    emulator,
    close: emulator.close,
  };
};
