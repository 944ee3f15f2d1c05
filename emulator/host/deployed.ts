/** Deployed functions: their settings, and their code unpacked on this machine. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GetFunctionCommand, type LambdaClient } from '@aws-sdk/client-lambda';

export interface Deployed {
  name: string;
  arn: string;
  /** Changes with code or settings. */
  revision: string;
  folder: string;
  handler: string;
  /** Milliseconds. */
  timeout: number;
  /** Megabytes. */
  memory: number;
  variables: Record<string, string>;
}

export interface DeployedOptions {
  client: LambdaClient;
  /** The folder of the unpacked code. */
  folder: string;
  /** Python, which unpacks archives. */
  python: string;
}

const run = promisify(execFile);
/** Milliseconds for which settings are cached. */
const believed = 1_000;

export const createDeployed = ({ client, folder, python }: DeployedOptions) => {
  const unpacking = new Map<string, Promise<string>>();
  const known = new Map<string, { at: number; deployed: Promise<Deployed> }>();

  const unpack = async (digest: string, location: string): Promise<string> => {
    const target = join(folder, digest);
    if (existsSync(target)) return target;
    const partial = `${target}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    const response = await fetch(location);
    if (!response.ok) throw new Error(`the code of a function cannot be fetched: ${response.status}`);
    const archive = `${target}.zip`;
    await writeFile(archive, Buffer.from(await response.arrayBuffer()));
    await run(python, ['-m', 'zipfile', '-e', archive, partial]);
    await rm(archive);
    await rename(partial, target);
    return target;
  };

  const look = async (name: string): Promise<Deployed> => {
    const { Configuration: settings, Code } = await client.send(new GetFunctionCommand({ FunctionName: name }));
    if (!settings?.CodeSha256 || !Code?.Location) throw new Error(`the function ${name} has no code`);
    const digest = Buffer.from(settings.CodeSha256, 'base64').toString('hex');
    const unpacked = unpacking.get(digest) ?? unpack(digest, Code.Location);
    unpacking.set(digest, unpacked);
    unpacked.catch(() => unpacking.delete(digest));
    const variables = settings.Environment?.Variables ?? {};
    return {
      name,
      arn: settings.FunctionArn ?? '',
      revision: JSON.stringify([digest, variables, settings.Timeout, settings.MemorySize, settings.Handler]),
      folder: await unpacked,
      handler: settings.Handler ?? 'index.handler',
      timeout: (settings.Timeout ?? 3) * 1000,
      memory: settings.MemorySize ?? 128,
      variables,
    };
  };

  return {
    /** Rejects if the function does not exist. */
    of: (name: string): Promise<Deployed> => {
      const last = known.get(name);
      if (last && Date.now() - last.at < believed) return last.deployed;
      const deployed = look(name);
      known.set(name, { at: Date.now(), deployed });
      deployed.catch(() => known.delete(name));
      return deployed;
    },
  };
};
export type DeployedFunctions = ReturnType<typeof createDeployed>;
