/** Where an installation is deployed to: an emulator of our own, another endpoint of the AWS API, or AWS. */
import { type Emulator, startEmulator } from '../../../emulator/index.ts';

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

export const openPlace = async (): Promise<Place> => {
  const given = process.env.AWS_ENDPOINT_URL;
  if (given !== undefined || process.env.TARGET === 'aws') {
    const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
    if (!region) throw new Error('AWS_REGION names no region to deploy to');
    return { environment: process.env, region, close: async () => {} };
  }
  const emulator = await startEmulator();
  return {
    environment: { ...cleared(), ...emulator.variables },
    region: emulator.region,
    emulator,
    close: emulator.close,
  };
};
