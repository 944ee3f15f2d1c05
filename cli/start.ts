/** `npm start`: starts the control plane, creates the quickstart cluster and prints the next commands. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOver } from '../kinds/operations/cluster-operation/ended.ts';
import { kubeconfigOf } from '../local/credentials.ts';
import type { LocalOptions } from '../local/start.ts';
import type { Condition, KubeObject } from '../machinery/api/object.ts';
import { createMissing, objectsIn } from './apply.ts';
import { openClient } from './client.ts';
import { listResources } from './cloud.ts';
import type { ClusterObjects } from './describe/tree.ts';
import { untilInterrupted } from './dev.ts';
import { CliError } from './errors.ts';
import { show } from './failure.ts';
import { frozenNotice } from './frozen.ts';
import { openScreen, watchCluster } from './live.ts';
import { openLocal } from './local.ts';
import { phaseOf } from './operation.ts';
import { shellWord } from './output.ts';

const speed = 60;
/** Milliseconds without a change after which the cluster counts as stuck. */
const quietTime = 180_000;
const quickstart = { namespace: 'default', name: 'quickstart' };
const manifest = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples', 'quickstart.yaml');

const isTrue = (object: KubeObject | undefined, type: string): boolean =>
  ((object?.status as { conditions?: Condition[] } | undefined)?.conditions ?? []).some(
    (c) => c.type === type && c.status === 'True',
  );
const replicasOf = (object: KubeObject | undefined) =>
  (object?.spec as { replicas?: number } | undefined)?.replicas ?? 0;

const countsMatch = (object: KubeObject): boolean => {
  const { readyReplicas, availableReplicas, upToDateReplicas } = (object.status ?? {}) as Record<string, number>;
  const wanted = replicasOf(object);
  return [readyReplicas, availableReplicas, upToDateReplicas].every((count) => count === wanted);
};

/** Available, operation ended, all counts as desired, so that the last frame shows a complete cluster. */
const isUp = (objects: ClusterObjects | undefined): boolean => {
  if (!objects || !isTrue(objects.cluster, 'Available')) return false;
  const wanted = [objects.controlPlane, ...objects.machineDeployments].reduce(
    (sum, object) => sum + replicasOf(object),
    0,
  );
  return (
    (!objects.operation || isOver(objects.operation)) &&
    [objects.controlPlane, ...objects.machineDeployments].every((object) => !object || countsMatch(object)) &&
    objects.machines.length === wanted &&
    objects.machines.every((machine) => isTrue(machine, 'NodeReady') && isTrue(machine, 'Ready'))
  );
};

const stuck = (what: string, objects: ClusterObjects | undefined): CliError => {
  const conditions = ((objects?.cluster.status as { conditions?: Condition[] } | undefined)?.conditions ?? [])
    .filter((c) =>
      c.type === 'Deleting' ? c.status === 'True' : c.status === 'False' && /Available|Ready|Probe/.test(c.type),
    )
    .map((c) => `  ${c.type}=${c.status} ${c.reason}: ${(c.message ?? '').replace(/\s*\n\s*/g, ' ')}`);
  if (objects?.operation) {
    const { metadata, status } = objects.operation;
    const at = status?.step ? ` at ${status.step}` : '';
    conditions.push(
      `  ClusterOperation ${metadata.name}: ${phaseOf(objects.operation)}${at}: ${status?.message ?? ''}`,
    );
  }
  return new CliError([`nothing changed for ${quietTime / 1000} seconds while ${what}`, ...conditions].join('\n'));
};

const nextSteps = (kubeconfig: string): string => `
The cluster is available. In another terminal:

  export KUBECONFIG=${shellWord(kubeconfig)} PATH="$PWD/bin:$PATH"
  kubectl get clusters,machines,clusteroperations
  kubectl scale machinedeployment/quickstart-workers --replicas=4
  capstan describe cluster quickstart
  capstan cloud list

  capstan get kubeconfig quickstart > quickstart.kubeconfig
  kubectl --kubeconfig quickstart.kubeconfig get nodes

  kubectl delete cluster/quickstart

Ctrl-C stops the control plane; npm start goes on where it was.
`;

const bringUp = async (data: string): Promise<void> => {
  const client = openClient(kubeconfigOf(data));
  const created = await createMissing(client, objectsIn(manifest));
  if (created.length > 0)
    console.log(`Applied ${relative(process.cwd(), manifest)} (${created.length} objects created)`);
  const { reached, objects } = await watchCluster(client, quickstart, openScreen(process.stdout), isUp, quietTime);
  if (!reached) throw stuck('the cluster came up', objects);
};

const takeDown = async (data: string): Promise<void> => {
  const client = openClient(kubeconfigOf(data));
  console.log('\nDeleting the cluster');
  await client.json('DELETE', `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${quickstart.name}`);
  const gone = (objects: ClusterObjects | undefined) => objects === undefined;
  const { reached, objects } = await watchCluster(client, quickstart, openScreen(process.stdout), gone, quietTime);
  if (!reached) throw stuck('the cluster was being deleted', objects);
  const left = await listResources(client);
  if (left.length > 0) {
    throw new CliError(
      `the account is not empty:\n${left.map(({ type, id, state }) => `  ${type} ${id} ${state}`).join('\n')}`,
    );
  }
  console.log('The cluster is gone and the simulated account is empty.');
};

const once = async ({ port }: StartOptions): Promise<void> => {
  const interrupted = untilInterrupted();
  const data = mkdtempSync(join(tmpdir(), 'capstan-'));
  const local = await openLocal({ data, speed, ...(port !== undefined && { port }) });
  const stop = async () => {
    await interrupted;
    throw new CliError('interrupted');
  };
  try {
    await Promise.race([bringUp(data).then(() => takeDown(data)), stop()]);
  } finally {
    await local.close();
    rmSync(data, { recursive: true, force: true });
  }
};

const serve = async ({ data, port }: StartOptions): Promise<void> => {
  const local = await openLocal({ data, speed, ...(port !== undefined && { port }) });
  console.log(`Serving on https://127.0.0.1:${local.port}, keeping everything in ${data}`);
  const interrupted = untilInterrupted();
  const freeze = local.freeze();
  if (freeze) console.log(frozenNotice(freeze));
  else await Promise.race([bringUp(data).then(() => console.log(nextSteps(kubeconfigOf(data)))), interrupted]);
  await interrupted;
  await local.close();
};

export interface StartOptions extends Pick<LocalOptions, 'data' | 'port'> {
  /** Creates the cluster, deletes it and ends. */
  once?: boolean;
}

export const start = async (options: StartOptions): Promise<never> => {
  try {
    await (options.once ? once(options) : serve(options));
    process.exit(0);
  } catch (error) {
    // Its servers would keep the process alive.
    show(error);
    process.exit();
  }
};
