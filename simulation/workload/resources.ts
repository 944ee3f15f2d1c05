/** What pods request and nodes offer, as a scheduler counts it. */
import { ownValue } from '../../machinery/api/labels.ts';
import type { Container, NodeObject, PodObject } from './objects.ts';

export type Amounts = Record<string, number>;
type Quantities = Record<string, string | number>;

const factors: Record<string, number> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** In thousandths, so that sums of millicores are exact. */
export const amountOf = (quantity: string | number): number => {
  const [, digits = '0', suffix = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(String(quantity)) ?? [];
  return Math.round(Number(digits) * (factors[suffix] ?? 1) * 1000);
};
const parsed = (quantities: Quantities): Amounts =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, amountOf(quantity)]));

/** Objects of a cluster are replaced and never changed, and a scheduler asks for their amounts again and again. */
const remembered = <K extends object, V>(of: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
};

const knownAmounts = remembered(parsed);
const amountsOf = (quantities: Quantities | undefined): Amounts => (quantities ? knownAmounts(quantities) : {});

const combined = (a: Amounts, b: Amounts, by: (x: number, y: number) => number): Amounts => {
  const sums = Object.entries(b).map(([name, amount]) => [name, by(ownValue(a, name) ?? 0, amount)]);
  return { ...a, ...Object.fromEntries(sums) };
};
const plus = (a: Amounts, b: Amounts) => combined(a, b, (x, y) => x + y);

const requestsOf = (container: Container): Amounts => {
  const { requests, limits } = (container.resources ?? {}) as { requests?: Quantities; limits?: Quantities };
  return { ...amountsOf(limits), ...amountsOf(requests) };
};

const requestsOfSpec = remembered((spec: NonNullable<PodObject['spec']>): Amounts => {
  const { containers = [], initContainers = [], overhead } = spec;
  const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';
  let sidecars: Amounts = {};
  let starting: Amounts = {};
  for (const container of initContainers) {
    const own = requestsOf(container);
    starting = combined(starting, plus(own, sidecars), Math.max);
    if (isSidecar(container)) sidecars = plus(sidecars, own);
  }
  const running = containers.map(requestsOf).reduce(plus, sidecars);
  const whole = plus(combined(running, starting, Math.max), amountsOf(overhead as Quantities | undefined));
  return { ...whole, pods: 1000 };
});

/** With the pod's own slot. */
export const podRequests = ({ spec }: Pick<PodObject, 'spec'>): Amounts =>
  spec ? requestsOfSpec(spec) : { pods: 1000 };

const isOver = ({ status }: PodObject): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** What is requested of each node. */
export class Usage {
  readonly #used = new Map<string, Amounts>();

  constructor(placed: readonly PodObject[]) {
    for (const pod of placed) if (!isOver(pod)) this.add(pod.spec!.nodeName!, podRequests(pod));
  }
  add(node: string, requests: Amounts): void {
    this.#used.set(node, plus(this.#used.get(node) ?? {}, requests));
  }
  /** Whether the empty node would have enough of the resource. */
  fitsEmpty({ status }: NodeObject, resource: string, requests: Amounts): boolean {
    return requests[resource]! <= (ownValue(amountsOf(status?.allocatable), resource) ?? 0);
  }
  /** The resources of which the node has too little left. */
  lacking({ metadata, status }: NodeObject, requests: Amounts): string[] {
    const used = this.#used.get(metadata.name) ?? {};
    const allocatable = amountsOf(status?.allocatable);
    return Object.keys(requests).filter(
      (name) =>
        requests[name]! > 0 && (ownValue(used, name) ?? 0) + requests[name]! > (ownValue(allocatable, name) ?? 0),
    );
  }
}
