/** The resources that the scheduler reserves for a pod. Pure. */
import { ownValue } from '../../../machinery/api/labels.ts';
import { milli, parseQuantity } from '../../common/quantity.ts';
import type { Resources } from './types.ts';

type Quantities = Record<string, string | number>;
export type ContainerSpec = {
  resources?: { requests?: Quantities; limits?: Quantities };
  restartPolicy?: string;
};
export type PodResources = {
  containers?: ContainerSpec[];
  initContainers?: ContainerSpec[];
  overhead?: Quantities;
  resources?: { requests?: Quantities; limits?: Quantities };
};

/** Quantities in the units of Resources: millicores, bytes and whole units. */
export const amounts = (quantities: Quantities | undefined): Resources => {
  const parsed = Object.entries(quantities ?? {}).map(([name, text]) => {
    const amount = parseQuantity(text) ?? 0;
    return [name, name === 'cpu' ? milli(amount) : Math.ceil(amount)];
  });
  return Object.fromEntries(parsed);
};

const combine = (a: Resources, b: Resources, by: (x: number, y: number) => number): Resources => {
  const sums = Object.entries(b).map(([name, amount]) => [name, by(ownValue(a, name) ?? 0, amount)]);
  return { ...a, ...Object.fromEntries(sums) };
};
const add = (a: Resources, b: Resources) => combine(a, b, (x, y) => x + y);
const larger = (a: Resources, b: Resources) => combine(a, b, Math.max);

/** A limit without a request is the request, as the API server defaults it. */
const requestsOf = ({ resources }: ContainerSpec): Resources => ({
  ...amounts(resources?.limits),
  ...amounts(resources?.requests),
});

/** Resources that a pod as a whole may request in place of its containers. */
const isPodLevel = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/**
 * The larger of what runs together: all containers with the sidecars, or one init container with
 * the sidecars that started before it. Overhead comes on top.
 */
export const podRequests = ({ containers = [], initContainers = [], overhead, resources }: PodResources): Resources => {
  let running = containers.map(requestsOf).reduce(add, {});
  let sidecars: Resources = {};
  let starting: Resources = {};
  for (const container of initContainers) {
    const own = requestsOf(container);
    const isSidecar = container.restartPolicy === 'Always';
    starting = larger(starting, add(own, sidecars));
    if (isSidecar) {
      sidecars = add(sidecars, own);
      running = add(running, own);
    }
  }
  const whole = Object.entries(requestsOf({ resources })).filter(([name]) => isPodLevel(name));
  return add({ ...larger(running, starting), ...Object.fromEntries(whole) }, amounts(overhead));
};
