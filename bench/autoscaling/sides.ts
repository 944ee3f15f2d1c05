/** Two equal clusters with a pool each: one is scaled by Capstan, the other by cluster-autoscaler. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../machinery/api/object.ts';
import { clientOf, cpuOf, type LoadClient, memoryOf, targetOf } from '../api/target.ts';

const root = join(import.meta.dirname, '..', '..');
const cli = join(root, 'cli', 'main.ts');
const second = 1000;

export interface Side {
  name: 'capstan' | 'cluster-autoscaler';
  cluster: string;
  management: LoadClient;
  workload: LoadClient;
}

export const poolOf = ({ cluster }: Side): string => `${cluster}-workers`;
export const min = 1;

const theirs = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group';
const annotations: Record<Side['name'], Record<string, string>> = {
  capstan: { 'capstan.dev/autoscale-min': String(min), 'capstan.dev/autoscale-max': '100' },
  'cluster-autoscaler': { [`${theirs}-min-size`]: String(min), [`${theirs}-max-size`]: '100' },
};
const clusterOf: Record<Side['name'], string> = { capstan: 'ours', 'cluster-autoscaler': 'theirs' };
const names = Object.keys(clusterOf) as Side['name'][];

const pathOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `/${apiVersion!.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`;

/**
 * The quickstart under another name; what both share is created once. With `reports` the pool opts in
 * before the first host starts, whose API server reports from then on.
 */
const documentsOf = (side: Side['name'], reports: boolean): KubeObject[] => {
  const text = readFileSync(join(root, 'examples', 'quickstart.yaml'), 'utf8').replaceAll(
    'quickstart',
    clusterOf[side],
  );
  const all = parseAllDocuments(text).map((one) => one.toJS() as KubeObject);
  if (reports)
    for (const { kind, metadata } of all) if (kind === 'MachineDeployment') metadata.annotations = annotations[side];
  return all;
};

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export const until = async (what: string, isSo: () => Promise<boolean>, most: number): Promise<void> => {
  const end = performance.now() + most;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`timed out: ${what}`);
    await sleep(second / 4);
  }
};

export const json = async <T>(client: LoadClient, path: string): Promise<T> =>
  JSON.parse((await client.send('GET', path)).text) as T;

const startDev = async (directory: string, speed: number): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [cli, 'dev', '--data', directory, '--speed', String(speed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit').then(([code]) => Promise.reject(new Error(`capstan dev ended with ${code}`)));
  exit.catch(() => {});
  await Promise.race([once(child.stdout!, 'data'), exit]);
  return child;
};

const stop = async (child: ChildProcess): Promise<void> => {
  const exit = once(child, 'exit');
  child.kill();
  await exit;
};

const isAvailable = async (client: LoadClient, cluster: string): Promise<boolean> => {
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${cluster}`;
  const { status } = await json<{ status?: { conditions?: { type: string; status: string }[] } }>(client, path);
  return status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ?? false;
};

const create = async (management: LoadClient, reports: boolean): Promise<void> => {
  for (const name of names)
    for (const object of documentsOf(name, reports && name === 'capstan'))
      await management.send('POST', pathOf(object), { body: JSON.stringify(object), also: [409] });
  for (const cluster of Object.values(clusterOf))
    await until(`${cluster} is Available`, () => isAvailable(management, cluster), 180 * second);
};

const startClusterAutoscaler = (binary: string, directory: string, workload: string): ChildProcess => {
  const log = openSync(join(directory, 'cluster-autoscaler.log'), 'w');
  return spawn(
    binary,
    [
      '--cloud-provider=clusterapi',
      '--clusterapi-cloud-config-authoritative',
      `--cloud-config=${join(directory, 'kubeconfig')}`,
      `--kubeconfig=${workload}`,
      `--node-group-auto-discovery=clusterapi:clusterName=${clusterOf['cluster-autoscaler']}`,
      '--kube-api-content-type=application/json',
      '--address=127.0.0.1:0',
    ],
    { stdio: ['ignore', log, log] },
  );
};

export interface Sides {
  both: Side[];
  /** What the process of cluster-autoscaler used so far. */
  usage(): string;
  end(): Promise<void>;
}

/** The clusters are created at high speed; then everything goes on at real speed. */
export const startSides = async (binary: string, reports: boolean): Promise<Sides> => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-autoscaling-'));
  const kubeconfig = join(directory, 'kubeconfig');
  let dev = await startDev(directory, 1000);
  await create(clientOf(targetOf('management', kubeconfig)), reports);
  await stop(dev);
  dev = await startDev(directory, 1);
  const management = clientOf(targetOf('management', kubeconfig));
  const side = (name: Side['name']): Side => {
    const cluster = clusterOf[name];
    const file = join(directory, `${cluster}.kubeconfig`);
    const printed = spawnSync(process.execPath, [cli, '--kubeconfig', kubeconfig, 'get', 'kubeconfig', cluster]);
    writeFileSync(file, printed.stdout);
    return { name, cluster, management, workload: clientOf(targetOf(cluster, file)) };
  };
  const both = names.map(side);
  for (const one of both)
    await management.send(
      'PATCH',
      `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedeployments/${poolOf(one)}`,
      {
        body: JSON.stringify({ metadata: { annotations: annotations[one.name] } }),
        contentType: 'application/merge-patch+json',
      },
    );
  const other = startClusterAutoscaler(binary, directory, join(directory, 'theirs.kubeconfig'));
  const began = performance.now();
  // Both look at their cluster a few times first.
  await sleep(45 * second);
  const target = { name: 'cluster-autoscaler', server: '', pids: [other.pid!] };
  return {
    both,
    usage: () => {
      const minutes = (performance.now() - began) / 60 / second;
      return `${(cpuOf(target) / 1000).toFixed(1)} CPU s in ${minutes.toFixed(0)} minutes, ${Math.round(memoryOf(target) / 2 ** 20)} MiB`;
    },
    end: async () => {
      await stop(other);
      await stop(dev);
      rmSync(directory, { recursive: true });
    },
  };
};
