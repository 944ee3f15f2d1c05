/** Where an installation is deployed: a separate emulator, another endpoint of the AWS API, or AWS. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../../../emulator/index.ts';
import type { Log } from '../../../machinery/ports.ts';

export interface Place {
  /** The environment of every command that reaches the account. */
  environment: NodeJS.ProcessEnv;
  region: string;
  /** Absent for an endpoint that the test did not start: its processes can be neither killed nor counted. */
  emulator?: Emulator;
  close(): Promise<void>;
}

const ownNames = /^(AWS_|KUBECONFIG$|HTTPS?_PROXY$|NO_PROXY$)/i;

/** Removes settings of this shell that name another account. */
const cleared = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownNames.test(name)));

/** The log file of functions, which are killed here on purpose. */
const logOfEmulator = (): Log => {
  const folder = join(import.meta.dirname, '../../../.build/e2e');
  mkdirSync(folder, { recursive: true });
  const file = createWriteStream(join(folder, 'emulator.log'));
  const write = (message: string, { error, ...keys }: Record<string, unknown> = {}) =>
    file.write(`${message} ${JSON.stringify(keys)} ${error instanceof Error ? error.message : ''}\n`);
  return { info: write, error: write };
};

export interface PlaceOptions {
  /** The account's concurrency limit on a separate emulator. */
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
