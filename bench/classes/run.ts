/** Clusters of one class, and changes of the class that reach all of them at once. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { openControlPlane, pathOf, typeOf, until } from '../fleet/control-plane.ts';
import { nameOf } from '../fleet/manifests.ts';
import { type Measured, measure } from '../fleet/measure.ts';
import { openPlaces } from '../fleet/network.ts';
import { defaultRegions } from '../fleet/options.ts';
import { classOf, clusterOf, type Edition, templates } from './manifests.ts';

export interface ClassOptions {
  clusters: number;
  /** Variables of the class, each of which every cluster sets. */
  variables: number;
  patches: number;
}

/** Clusters in creation at a time. */
const inFlight = 100;
const minute = 60_000;

type Observed = KubeObject<
  { additionalTags?: Record<string, string> },
  { conditions?: { type: string; status: string }[] }
>;
const whole = ['Available', 'TopologyReconciled', 'WorkerMachinesUpToDate'];
const isWhole = ({ status }: Observed): boolean =>
  whole.every((type) => status?.conditions?.some((one) => one.type === type && one.status === 'True'));

/** Resolves with the errors in the control plane's log, when everything was measured. */
export const runClasses = async (
  { clusters, variables, patches }: ClassOptions,
  onPhase: (what: string, measured: Measured) => void,
): Promise<string[]> => {
  const plane = await openControlPlane({ throttling: true, units: false, storm: false });
  const { account } = plane.system;
  const regions = defaultRegions(clusters);
  const placeOf = await openPlaces(account, plane.clock, { clusters, network: 'shared', regions });
  const names = Array.from({ length: clusters }, (_, index) => nameOf(index));

  const post = async (objects: KubeObject[]) => {
    for (const object of objects) await plane.request('POST', pathOf(object.apiVersion, object.kind), object);
  };
  const behind = async (among: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const name of among) {
      const cluster = await plane.reader.get(typeOf('Cluster'), { namespace: 'default', name });
      if (cluster === undefined || !isWhole(cluster as Observed)) found.push(name);
    }
    return found;
  };
  const allWhole = async (among: readonly string[]) => {
    let left = among;
    const isDone = async () => {
      left = await behind(left);
      return left.length === 0;
    };
    await until(plane, 'the clusters are whole', isDone, 24, async () => `${left.length} are not, first ${left[0]}`);
  };
  /** Waits until no object of the kind that has tags of the class has another edition's. */
  const allTagged = async (kind: string, tag: string) => {
    let others: Observed[] = [];
    const isDone = async () => {
      const { objects } = await plane.reader.list(typeOf(kind), { namespace: 'default' });
      others = (objects as Observed[]).filter(({ spec }) => spec?.additionalTags?.edition !== tag);
      others = others.filter(({ spec }) => spec?.additionalTags !== undefined);
      return others.length === 0;
    };
    const left = async () => `${others.length} have not, first ${others[0]?.metadata.name}`;
    await until(plane, `every ${kind} has the tag ${tag}`, isDone, 24, left);
    await allWhole(names);
  };

  let edition: Edition = { description: 'a region', clusterTag: 'one', workerTag: 'one' };
  await post([...templates(), classOf(edition, variables, patches)]);
  const creation = measure(plane);
  for (let at = 0; at < clusters; at += inFlight) {
    const next = names.slice(at, at + inFlight);
    for (const [index, name] of next.entries()) await post([clusterOf(name, placeOf(at + index), variables)]);
    await allWhole(next);
  }
  onPhase('creation', creation(plane.clock.now()));
  // The Events of the creation expire.
  await plane.clock.advance(70 * minute);

  const change = async (what: string, of: Partial<Edition>, done: () => Promise<void>) => {
    edition = { ...edition, ...of };
    const counted = measure(plane);
    const { spec } = classOf(edition, variables, patches);
    const path = pathOf('cluster.x-k8s.io/v1beta2', 'ClusterClass', 'bench');
    await plane.request('PATCH', path, { spec }, 'application/merge-patch+json');
    await done();
    const settledAt = plane.clock.now();
    await plane.clock.advance(10 * minute);
    onPhase(what, counted(settledAt));
  };
  await change('a description that no object shows', { description: 'where it runs' }, () => allWhole(names));
  await change('a tag of all infrastructure, in place', { clusterTag: 'two' }, () => allTagged('AWSCluster', 'two'));
  await change('a tag of all workers, replaced', { workerTag: 'two' }, () => allTagged('AWSMachine', 'two'));
  plane.system.stop();
  return plane.errors;
};
