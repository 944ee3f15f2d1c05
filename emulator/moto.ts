/** moto: instances, load balancers, their tags, and instance profiles. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateKeyPairCommand, DescribeKeyPairsCommand, EC2Client } from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  IAMClient,
  ListInstanceProfilesCommand,
} from '@aws-sdk/client-iam';
import type { Guardian } from './guardian.ts';
import { publishedImages } from './images.ts';
import { createServerProcess, type Server } from './server.ts';

export interface MotoOptions {
  /** The Python of moto's environment. */
  python: string;
  port: number;
  folder: string;
  account: string;
  /** The URL before an instance's id that answers what the instance printed; without it moto's sample. */
  consoles?: string;
  guardian: Guardian;
  /** Seconds between two saves of changed state; 20 by default. */
  saveEvery?: number;
  onCrash?: (how: string) => void;
}

export interface Moto extends Server {
  endpoint: string;
}

const program = join(import.meta.dirname, 'moto_kept.py');

export const createMoto = (options: MotoOptions): Moto => {
  const { python, port, folder, account, consoles, guardian, saveEvery, onCrash } = options;
  const amis = join(folder, 'amis.json');
  writeFileSync(amis, JSON.stringify(publishedImages()));
  const endpoint = `http://127.0.0.1:${port}`;
  const server = createServerProcess({
    name: 'moto',
    command: python,
    args: [program, join(folder, 'moto.pickle'), '-H', '127.0.0.1', '-p', String(port)],
    environment: {
      PATH: process.env.PATH,
      HOME: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      ...(saveEvery !== undefined && { CAPSTAN_EMULATOR_SAVE_SECONDS: String(saveEvery) }),
      ...(consoles !== undefined && { CAPSTAN_EMULATOR_CONSOLES: consoles }),
      MOTO_ACCOUNT_ID: account,
      MOTO_AMIS_PATH: amis,
      MOTO_ENABLE_AMI_VALIDATION: 'true',
      MOTO_ENABLE_KEYPAIR_VALIDATION: 'true',
      MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: 'true',
    },
    health: `${endpoint}/moto-api/config`,
    logFile: join(folder, 'moto.log'),
    guardian,
    ...(onCrash && { onCrash }),
  });
  return { ...server, endpoint };
};

/** The profiles that `clusterawsadm bootstrap iam` creates. */
const profiles = ['control-plane', 'controllers', 'nodes'].map(
  (name) => `${name}.cluster-api-provider-aws.sigs.k8s.io`,
);
const trust = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
});

/** Prepares an account as the AWS provider expects it: its profiles, and a key pair named `default`. */
export const prepareAccount = async (endpoint: string, regions: readonly string[]): Promise<void> => {
  const config = { endpoint, credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' } };
  const iam = new IAMClient({ ...config, region: 'us-east-1' });
  const { InstanceProfiles = [] } = await iam.send(new ListInstanceProfilesCommand({}));
  const isThere = (name: string) => InstanceProfiles.some(({ InstanceProfileName }) => InstanceProfileName === name);
  for (const name of profiles) {
    if (isThere(name)) continue;
    await iam.send(new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument: trust }));
    await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: name }));
    await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: name, RoleName: name }));
  }
  iam.destroy();
  for (const region of regions) {
    const ec2 = new EC2Client({ ...config, region });
    const { KeyPairs = [] } = await ec2.send(new DescribeKeyPairsCommand({}));
    if (KeyPairs.length === 0) await ec2.send(new CreateKeyPairCommand({ KeyName: 'default' }));
    ec2.destroy();
  }
};
