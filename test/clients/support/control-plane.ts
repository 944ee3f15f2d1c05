/** A separate control plane for a test, as `capstan dev` starts it, faster than real time. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const cli = join(root, 'cli', 'main.ts');
export const quickstart = join(root, 'examples', 'quickstart.yaml');

export interface ControlPlane {
  /** The folder of its data and of the homes of clients. */
  directory: string;
  kubeconfig: string;
  capstan(...args: string[]): { status: number | null; stdout: string; stderr: string };
  /** All resources in its account. */
  account(): { type: string; id: string }[];
  end(): Promise<void>;
}

export const startControlPlane = async (speed = 1000): Promise<ControlPlane> => {
  const directory = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const child = spawn(process.execPath, [cli, 'dev', '--data', directory, '--speed', String(speed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  await Promise.race([
    once(child.stdout!, 'data'),
    exit.then(([code]) => Promise.reject(new Error(`capstan dev ended with ${code}`))),
  ]);
  const capstan: ControlPlane['capstan'] = (...args) =>
    spawnSync(process.execPath, [cli, '--kubeconfig', kubeconfig, ...args], { encoding: 'utf8' });
  return {
    directory,
    kubeconfig,
    capstan,
    account: () => JSON.parse(capstan('cloud', 'list', '-o', 'json').stdout).items,
    end: async () => {
      child.kill();
      await exit;
      rmSync(directory, { recursive: true });
    },
  };
};
