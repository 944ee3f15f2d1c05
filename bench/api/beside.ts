/**
 * Applies the same loads to Capstan and another API server in turns, so that other work on the machine slows
 * down both. Each load runs in its own process and is not counted as the server's CPU.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Load, Measured } from './loads.ts';
import { crdName } from './objects.ts';
import { clientOf, type Target, targetOf } from './target.ts';

const root = join(import.meta.dirname, '../..');

/** A control plane on disk with `--api-only`, in its own process. */
export const startCapstan = async (): Promise<{ target: Target; stop(): Promise<void> }> => {
  const data = mkdtempSync(join(tmpdir(), 'capstan-bench-'));
  const args = [join(root, 'cli/main.ts'), 'dev', '--api-only', '--data', data];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const kubeconfig = join(data, 'kubeconfig');
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new Error(`Capstan did not start: it ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    target: targetOf('Capstan', kubeconfig),
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(data, { recursive: true, force: true });
    },
  };
};

interface Crd {
  metadata: { name: string };
  spec: object;
  status?: { conditions?: { type: string; status: string }[] };
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Installs Capstan's definition of the kind on the other server. Returns how to remove it. */
export const installKind = async (ours: Target, theirs: Target): Promise<() => Promise<void>> => {
  const [from, to] = [clientOf(ours), clientOf(theirs)];
  const { spec } = JSON.parse((await from.send('GET', `${crds}/${crdName}`)).text) as Crd;
  const annotations = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/cluster-api-provider-aws' };
  const body = JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName, annotations },
    // Bench objects are in the storage version.
    spec: { ...spec, conversion: { strategy: 'None' } },
  });
  const { status } = await to.send('POST', crds, { body, also: [409] });
  const isServed = async () => {
    const { status: { conditions } = {} } = JSON.parse((await to.send('GET', `${crds}/${crdName}`)).text) as Crd;
    return conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
  };
  while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, 100));
  from.close();
  return async () => {
    if (status !== 409) await to.send('DELETE', `${crds}/${crdName}`);
    to.close();
  };
};

const run = async (target: Target, load: Load): Promise<Measured> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'load.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ target, load }));
  const [answer] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (answer === '') throw new Error(`the load ${load.of} on ${target.name} failed`);
  return JSON.parse(answer) as Measured;
};

export interface Compared {
  load: string;
  ours: Measured;
  theirs: Measured;
}

const titleOf = (load: Load): string =>
  load.of === 'fan-out'
    ? `${load.watchers} watches × ${load.perSecond} changes a second`
    : `${load.of} at ${load.concurrency}`;

/** The run with the median p50, and the longest call of all runs. */
const middle = (runs: Measured[]): Measured => ({
  ...runs.toSorted((a, b) => a.p50 - b.p50)[Math.floor(runs.length / 2)]!,
  longest: Math.max(...runs.map(({ longest }) => longest)),
});

/** Runs each load several times on each server, in turns. */
export async function* compare(ours: Target, theirs: Target, loads: Load[], rounds: number): AsyncGenerator<Compared> {
  for (const load of loads) {
    // An object can be created and deleted only once.
    const times = load.of === 'create' || load.of === 'delete' ? 1 : rounds;
    const runs: [Measured, Measured][] = [];
    for (let round = 0; round < times; round++) {
      const isOurTurn = round % 2 === 0;
      const first = await run(isOurTurn ? ours : theirs, load);
      const second = await run(isOurTurn ? theirs : ours, load);
      runs.push(isOurTurn ? [first, second] : [second, first]);
    }
    yield {
      load: titleOf(load),
      ours: middle(runs.map(([mine]) => mine)),
      theirs: middle(runs.map(([, other]) => other)),
    };
  }
}
