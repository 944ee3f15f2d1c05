/** Whether a pod may run on a node, and if not, why: in the scheduler's words. */
import { meetsAffinity, meetsTerms } from './affinity.ts';
import type { PodClass } from './classes.ts';
import type { Cluster, SimNode } from './cluster.ts';
import { anyConflict } from './ports.ts';
import { untolerated } from './taints.ts';
import type { Domain, Rules, Spread } from './topology.ts';
import { type Axes, lacking, timesFitting } from './vector.ts';

/** Why the node can never run the pod, whatever else runs on it. */
export const staticFault = (pod: PodClass, node: Domain & { pool?: string | undefined }): string | undefined => {
  const { shape } = pod;
  if (shape.pool !== undefined && node.pool !== shape.pool) return 'node(s) of another pool';
  const taint = untolerated(node.taints, shape.tolerations);
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (!meetsAffinity(node, shape)) return "node(s) didn't match Pod's node affinity/selector";
  if (pod.claims.some(({ unbound }) => unbound)) return 'pod has unbound immediate PersistentVolumeClaims';
  if (!pod.topologies.every((terms) => meetsTerms(node, terms))) return 'node(s) had volume node affinity conflict';
  return undefined;
};

/** The answers of `staticFault`, remembered while nodes and classes stay the same. */
export class StaticFits {
  readonly #byNode = new Map<PodClass, (boolean | undefined)[]>();
  readonly #byPool = new Map<PodClass, Map<string, boolean>>();

  allows(pod: PodClass, node: SimNode): boolean {
    // New nodes of a pool differ in their name only, and come and go with trials.
    return node.origin === 'new' ? this.#allowsNew(pod, node) : this.#allowsKnown(pod, node);
  }

  #allowsKnown(pod: PodClass, node: SimNode): boolean {
    const answers = this.#byNode.get(pod) ?? [];
    this.#byNode.set(pod, answers);
    const answer = answers[node.index] ?? staticFault(pod, node) === undefined;
    answers[node.index] = answer;
    return answer;
  }

  #allowsNew(pod: PodClass, node: SimNode): boolean {
    const answers = this.#byPool.get(pod) ?? new Map<string, boolean>();
    this.#byPool.set(pod, answers);
    const pool = node.pool ?? '';
    const answer = answers.get(pool) ?? staticFault(pod, node) === undefined;
    answers.set(pool, answer);
    return answer;
  }
}

/** Domains that pools could add and no node has. */
const missing = ({ potential, domains }: Spread): number => {
  let count = 0;
  for (const domain of potential) if (!domains.has(domain)) count++;
  return count;
};

const spreadAllows = ({ spreads }: Rules, node: SimNode): boolean =>
  spreads.every((spread) => {
    const { constraint, tally, domains, self } = spread;
    const domain = node.labels[constraint.topologyKey];
    if (domain === undefined) return false;
    // The scheduler sees the domains of nodes; a new node also leaves room for other new nodes.
    const coming = node.origin === 'new' ? missing(spread) : 0;
    const lowest = coming > 0 || domains.size < (constraint.minDomains ?? 1) ? 0 : tally.lowest(domains);
    return tally.at(domain) + self - lowest <= constraint.maxSkew;
  });

const affinityAllows = ({ affinity }: Rules, node: SimNode): boolean => {
  if (!affinity) return true;
  const { tallies, selfMatch } = affinity;
  if (tallies.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
  if (tallies.every((tally) => tally.on(node.labels) > 0)) return true;
  return selfMatch && tallies.every(({ total }) => total === 0);
};

const isAvoided = ({ avoids }: Rules, node: SimNode): boolean => avoids.some((tally) => tally.on(node.labels) > 0);

/** Why the node cannot run the pod now; undefined if it can. */
export const fault = (cluster: Cluster, axes: Axes, pod: PodClass, node: SimNode): string | undefined => {
  const never = staticFault(pod, node);
  if (never) return never;
  if (anyConflict(node.ports, pod.shape.hostPorts)) return "node(s) didn't have free ports for the requested pod ports";
  const short = lacking(axes, node.free, pod.request);
  if (short.length > 0)
    return short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`)).join(', ');
  const rules = cluster.rulesOf(pod);
  if (!spreadAllows(rules, node)) return "node(s) didn't match pod topology spread constraints";
  if (!affinityAllows(rules, node)) return "node(s) didn't match pod affinity rules";
  if (isAvoided(rules, node)) return "node(s) didn't match pod anti-affinity rules";
  return undefined;
};

/** How many of the pods the node has room for, leaving aside the rules between pods. */
export const room = (pod: PodClass, node: SimNode, most: number): number => {
  const { hostPorts } = pod.shape;
  if (anyConflict(node.ports, hostPorts)) return 0;
  return timesFitting(node.free, pod.request, hostPorts?.length ? Math.min(1, most) : most);
};

/** `later`: other pods may change the answer. */
export const verdict = (cluster: Cluster, pod: PodClass, node: SimNode): 'yes' | 'later' | 'never' => {
  const rules = cluster.rulesOf(pod);
  if (isAvoided(rules, node)) return 'never';
  return spreadAllows(rules, node) && affinityAllows(rules, node) ? 'yes' : 'later';
};
