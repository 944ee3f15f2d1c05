/** A separate moto server with the images that a cluster needs; MOTO_SERVER names its binary. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../emulator/server.ts';

export interface Moto {
  endpoint: string;
  /** Empties the account. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

const publisher = '819546954734';
const images = (versions: string[]) =>
  versions.flatMap((version, n) =>
    (['x86_64', 'arm64'] as const).map((architecture, m) => ({
      ami_id: `ami-${String(2 * n + m + 1).padStart(17, 'c')}`,
      name: `capa-ami-ubuntu-24.04-${version}-1767225600`,
      owner_id: publisher,
      architecture,
      state: 'available',
      public: true,
      creation_date: '2026-01-01T00:00:00.000Z',
      root_device_name: '/dev/sda1',
      root_device_type: 'ebs',
      virtualization_type: 'hvm',
      image_type: 'machine',
      image_location: `${publisher}/capa-ami-ubuntu-24.04-${version}`,
      hypervisor: 'xen',
    })),
  );

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    return (await fetch(`${endpoint}/moto-api/data.json`)).ok;
  } catch {
    return false;
  }
};

export const startMoto = async (binary: string, versions = ['v1.35.0']): Promise<Moto> => {
  const folder = await mkdtemp(join(tmpdir(), 'moto-'));
  const amis = join(folder, 'amis.json');
  await writeFile(amis, JSON.stringify(images(versions)));
  const port = await freePort();
  const server = spawn(binary, ['-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
    env: {
      ...process.env,
      MOTO_AMIS_PATH: amis,
      MOTO_ENABLE_AMI_VALIDATION: 'true',
      MOTO_ENABLE_KEYPAIR_VALIDATION: 'true',
      MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: 'true',
    },
  });
  let failure: Error | undefined;
  server.on('error', (error) => {
    failure = error;
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let tries = 0; !(await answers(endpoint)); tries++) {
    if (failure || server.exitCode !== null || tries > 1800) throw failure ?? new Error(`${binary} does not answer`);
    await delay(100);
  }
  return {
    endpoint,
    reset: async () => {
      await fetch(`${endpoint}/moto-api/reset`, { method: 'POST' });
    },
    stop: async () => {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
};
