/** Creates a whole fleet at once, on tables with DynamoDB's throughput limits. */
import { sleep } from '../../machinery/ports.ts';
import { type ControlPlane, openControlPlane, pathOf, typeOf, until } from './control-plane.ts';
import { clusterObjects, nameOf, type Place } from './manifests.ts';
import { openPlaces } from './network.ts';
import type { FleetOptions } from './options.ts';

/** Concurrent requests: the reserved concurrency of the API function. */
const clients = 50;
/** Milliseconds of a request outside of the store. */
const latency = 50;
const second = 1000;
/** Milliseconds without an object write, after which the fleet counts as quiet. */
const quiet = 120 * second;

export interface StormFigures {
  clusters: number;
  objects: number;
  /** Virtual seconds until the last object was created, and that many a second. */
  creating: number;
  createsPerSecond: number;
  /** Requests that were answered 503 and repeated. */
  refused: number;
  throttles: { partition: Record<string, number>; table: number };
  /** Virtual seconds until the last cluster was Available, and until the last write. */
  available: number;
  quiet: number;
  objectWrites: number;
  /** Object writes in the busiest second. */
  peakWrites: number;
  cpuSeconds: number;
}

const isAvailable = async ({ reader }: ControlPlane, name: string): Promise<boolean> => {
  const found = await reader.get(typeOf('Cluster'), { namespace: 'default', name });
  const { conditions = [] } = (found?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status }) => type === 'Available' && status === 'True');
};

/** Creates all objects with concurrent clients, which repeat a request that is answered 503. */
const createAll = async (plane: ControlPlane, options: FleetOptions, placeOf: (index: number) => Place) => {
  const { clock, post } = plane;
  let next = 0;
  let objects = 0;
  let refused = 0;
  const client = async () => {
    while (next < options.clusters) {
      const index = next++;
      for (const object of clusterObjects(nameOf(index), placeOf(index), options)) {
        await sleep(clock, latency);
        while ((await post(pathOf(object.apiVersion, object.kind), object)) === 503) {
          refused++;
          await sleep(clock, second);
        }
        objects++;
      }
    }
  };
  let isOver = false;
  const all = Promise.all(Array.from({ length: clients }, client)).finally(() => {
    isOver = true;
  });
  await clock.run(() => isOver);
  await all;
  return { objects, refused };
};

export const runStorm = async (options: FleetOptions): Promise<{ figures: StormFigures; errors: string[] }> => {
  const plane = await openControlPlane(options);
  const { clock, meter, system } = plane;
  const placeOf = await openPlaces(system.account, clock, options);
  const before = process.cpuUsage();
  const began = clock.now();
  const since = (time: number) => (time - began) / second;
  const { objects, refused } = await createAll(plane, options, placeOf);
  const creating = since(clock.now());
  let waiting = Array.from({ length: options.clusters }, (_, index) => nameOf(index));
  const left = async () => `${waiting.length} are not available, ${waiting[0]} is one of them`;
  const isEach = async () => {
    while (waiting[0] !== undefined && (await isAvailable(plane, waiting[0]))) waiting = waiting.slice(1);
    return waiting.length === 0;
  };
  await until(plane, 'every cluster is available', isEach, 12, left);
  const available = since(clock.now());
  const isQuiet = async () => clock.now() - meter.lastWrite >= quiet;
  await until(plane, 'nothing is written', isQuiet, 12, async () => 'writes go on');
  const { user, system: kernel } = process.cpuUsage(before);
  const { partition, table } = plane.throttles;
  const figures: StormFigures = {
    clusters: options.clusters,
    objects,
    creating,
    createsPerSecond: objects / creating,
    refused,
    throttles: { partition: Object.fromEntries([...partition].sort(([, a], [, b]) => b - a)), table },
    available,
    quiet: since(meter.lastWrite),
    objectWrites: [...meter.writes.values()].reduce((sum, count) => sum + count, 0),
    peakWrites: Math.max(...meter.writesBySecond.values()),
    cpuSeconds: (user + kernel) / 1e6,
  };
  system.stop();
  return { figures, errors: plane.errors };
};

export const stormText = (figures: StormFigures): string => {
  const { clusters, objects, creating, createsPerSecond, refused, throttles, objectWrites, peakWrites } = figures;
  const hot = Object.entries(throttles.partition).map(([name, count]) => `${name} ${count}`);
  return [
    `${clusters} clusters at once: ${objects} objects in ${creating.toFixed(1)} virtual s, ${createsPerSecond.toFixed(0)} a second; ${refused} requests answered 503`,
    `available after ${Math.round(figures.available)} s, quiet after ${Math.round(figures.quiet)} s; ${figures.cpuSeconds.toFixed(0)} CPU s`,
    `${objectWrites} object writes, ${peakWrites} in the busiest second`,
    `throttled by the whole table ${throttles.table}, by partition keys: ${hot.slice(0, 12).join(', ') || 'never'}`,
  ].join('\n');
};
