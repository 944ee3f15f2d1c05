/** The pods of a workload in a cluster. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { PodObject } from '../../../../simulation/workload/objects.ts';
import type { World } from '../../site.ts';
import type { ScenarioContext } from '../context.ts';

const app = 'pools';
/** A workload that selects a label. */
const selecting = 'selecting';
export const selectedLabel = { disk: 'ssd' };

const workload = (replicas: number, name: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        ...(name === selecting && { nodeSelector: selectedLabel }),
        containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '900m', memory: '1Gi' } } }],
      },
    },
  },
});

/** How many of the pods a node holds, by instance type. */
export const podsPerNode: Readonly<Record<string, number>> = { 't3.large': 2, 'm5.xlarge': 4 };

/** As the cluster's own controllers last read them. */
const allPodsIn = ({ guests }: World): PodObject[] =>
  guests.clusters.all().flatMap((cluster) => cluster.seen<PodObject>('pods'));
export const podsIn = (world: World): PodObject[] =>
  allPodsIn(world).filter(({ metadata }) => [app, selecting].includes(metadata.labels?.app ?? ''));

/** The nodes whose pods no other node has a copy of: those of the workload, and CoreDNS. */
export const usedNodesIn = (world: World): ReadonlySet<string | undefined> =>
  new Set(
    allPodsIn(world)
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'ReplicaSet'))
      .map(({ spec }) => spec?.nodeName),
  );

/** Waits for a control plane that answers. */
export const runPods = (context: ScenarioContext, replicas: number): Promise<void> => run(context, replicas, app);
/** Pods that only nodes with the label can run. */
export const runSelectingPods = (context: ScenarioContext, replicas: number): Promise<void> =>
  run(context, replicas, selecting);

const run = async ({ clock, life, world }: ScenarioContext, replicas: number, name: string): Promise<void> => {
  for (let waited = 0; waited < 60 && life.desired; waited++) {
    const [cluster] = world.guests.clusters.all();
    if (cluster) {
      const old = await cluster.get('deployments.apps', 'default', name);
      if (!old) return cluster.create(workload(replicas, name));
      return cluster.put([{ ...old, spec: { ...(old.spec as object), replicas } }]);
    }
    await sleep(clock, 60_000);
  }
};
