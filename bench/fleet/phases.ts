/** The phases of a fleet, and the cost of each. */
import type { KubeObject } from '../../machinery/api/object.ts';
import { type ControlPlane, pathOf, typeOf, until } from './control-plane.ts';
import { addOnObjects, clusterObjects, largerWorkers, nameOf, type Place } from './manifests.ts';
import { type Measured, measure } from './measure.ts';
import type { FleetOptions } from './options.ts';

/**
 * `settle` follows the creation until its Events have expired, so that `create` ends at Available and `idle`
 * is really idle.
 */
export type PhaseName = 'create' | 'settle' | 'idle' | 'rollout' | 'delete';

const minute = 60;

interface Counts {
  replicas?: number;
  upToDateReplicas?: number;
  availableReplicas?: number;
}
type Observed = KubeObject<
  unknown,
  {
    observedGeneration?: number;
    conditions?: { type: string; status: string; message?: string }[];
    controlPlane?: Counts;
    workers?: Counts;
  } & Counts
>;

const isWhole = (counts: Counts | undefined, wanted: number): boolean =>
  (counts?.replicas ?? 0) === wanted &&
  (counts?.upToDateReplicas ?? 0) === wanted &&
  (counts?.availableReplicas ?? 0) === wanted;

export const createFleet = (plane: ControlPlane, options: FleetOptions, placeOf: (index: number) => Place) => {
  const { reader, clock } = plane;
  const names = Array.from({ length: options.clusters }, (_, index) => nameOf(index));
  const key = (name: string) => ({ namespace: 'default', name });
  const find = (kind: string, name: string) => reader.get(typeOf(kind), key(name)) as Promise<Observed | undefined>;

  const isAvailable = async (name: string): Promise<boolean> => {
    const { status, metadata } = (await find('Cluster', name))!;
    return (
      status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') === true &&
      status.observedGeneration === metadata.generation &&
      isWhole(status.controlPlane, options.controlPlanes) &&
      isWhole(status.workers, options.workers)
    );
  };
  const isRolledOut = async (name: string): Promise<boolean> => {
    const { status, metadata } = (await find('MachineDeployment', name))!;
    return status?.observedGeneration === metadata.generation && isWhole(status, options.workers) && isAvailable(name);
  };
  const isGone = async (name: string): Promise<boolean> => (await find('Cluster', name)) === undefined;

  /** The message of the first one; the others usually have the same. */
  const why = async (names: readonly string[]): Promise<string> => {
    const [first = ''] = names;
    const { status } = (await find('Cluster', first)) ?? {};
    const condition = status?.conditions?.find(({ type }) => type === 'Available')?.message;
    return `${names.length} are left, ${first}: ${condition ?? 'says nothing'}`;
  };

  /** Starts each cluster when fewer than `most` are in progress; resolves when all are done. */
  const inOrder = async (
    what: string,
    most: number,
    begin: (name: string, index: number) => Promise<void>,
    isDone: (name: string) => Promise<boolean>,
  ): Promise<void> => {
    let under: string[] = [];
    let next = 0;
    const look = async () => {
      const still: string[] = [];
      for (const name of under) if (still.length > 8 || !(await isDone(name))) still.push(name);
      under = still;
      while (next < names.length && under.length < most) {
        await begin(names[next]!, next);
        under.push(names[next]!);
        next++;
      }
      return under.length === 0;
    };
    await until(plane, what, look, 48, () => why(under));
  };

  const phase = async (run: () => Promise<void>, trailing = 0): Promise<Measured> => {
    const stop = measure(plane);
    await run();
    const settledAt = clock.now();
    await clock.advance(trailing * 1000);
    return stop(settledAt);
  };

  const post = async (objects: readonly KubeObject[]) => {
    for (const object of objects) await plane.request('POST', pathOf(object.apiVersion, object.kind), object);
  };

  return {
    create: () =>
      phase(async () => {
        if (options.addOns) await post(addOnObjects());
        await inOrder(
          'every cluster is available',
          options.inFlight * options.regions,
          (name, index) => post(clusterObjects(name, placeOf(index), options)),
          isAvailable,
        );
      }),
    settle: () => phase(() => clock.advance(70 * minute * 1000)),
    idle: () => phase(() => clock.advance(options.idleHours * 60 * minute * 1000)),
    rollout: () =>
      phase(
        () =>
          inOrder(
            'every worker is replaced',
            options.inFlight * options.regions,
            async (name) => {
              const { template, patch } = largerWorkers(name);
              await post([template]);
              const path = pathOf('cluster.x-k8s.io/v1beta2', 'MachineDeployment', name);
              await plane.request('PATCH', path, patch, 'application/merge-patch+json');
            },
            isRolledOut,
          ),
        10 * minute,
      ),
    delete: () =>
      phase(
        () =>
          inOrder(
            'every cluster is gone',
            options.inFlight * options.regions,
            async (name) => {
              await plane.request('DELETE', pathOf('cluster.x-k8s.io/v1beta2', 'Cluster', name));
            },
            isGone,
          ),
        10 * minute,
      ),
  };
};
