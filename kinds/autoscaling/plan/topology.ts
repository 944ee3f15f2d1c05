/**
 * The rules between pods, compiled: which counts a pod raises where it runs, and which counts decide
 * where it may run. Pure.
 */
import type { Labels } from '../../../machinery/api/labels.ts';
import { meetsAffinity, type Place } from './affinity.ts';
import type { PodClass } from './classes.ts';
import { untolerated } from './taints.ts';
import { Domains, Tally } from './tally.ts';
import { type Selects, selectsBySpread, selectsByTerm } from './terms.ts';
import type { PodTerm, SpreadConstraint, Taint } from './types.ts';

export type Domain = Place & { taints: readonly Taint[] };

export type Spread = {
  constraint: SpreadConstraint;
  tally: Tally;
  domains: Domains;
  /** 1 if the pod itself counts. */
  self: 0 | 1;
  /** Whether the node's domain and pods count. */
  isEligible(node: Domain): boolean;
  /** Domains that pools could add, which count as empty for new nodes. */
  potential: Set<string>;
};
export type Affinity = {
  tallies: Tally[];
  /** The first pod of a group that is close to itself may start anywhere. */
  selfMatch: boolean;
};
export type Rules = {
  spreads: Spread[];
  affinity?: Affinity;
  /** A domain with any of these is out of bounds. */
  avoids: Tally[];
  /** Counts that a pod of this class raises, with the nodes that count. */
  raises: { tally: Tally; isEligible?: (node: Domain) => boolean }[];
};

/** The domains of the nodes that count for a constraint. */
export type EligibleDomains = { domains: Domains; isEligible(node: Domain): boolean };

/** Constraints for which the same nodes count have the same domains. */
const eligibleDomains = () => {
  const known = new Map<string, EligibleDomains>();
  return {
    of: ({ shape }: PodClass, constraint: SpreadConstraint): EligibleDomains => {
      const { topologyKey, nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
      const keys = (shape.spread ?? []).map((one) => one.topologyKey);
      const { nodeSelector, nodeAffinity, tolerations } = shape;
      const affinity = nodeAffinityPolicy === 'Ignore' ? undefined : { nodeSelector, nodeAffinity };
      const taints = nodeTaintsPolicy === 'Ignore' ? undefined : { tolerations };
      const key = JSON.stringify([topologyKey, keys, affinity, taints]);
      const made: EligibleDomains = known.get(key) ?? {
        domains: new Domains(topologyKey),
        isEligible: (node) =>
          keys.every((label) => node.labels[label] !== undefined) &&
          (!affinity || meetsAffinity(node, affinity)) &&
          (!taints || !untolerated(node.taints, tolerations)),
      };
      known.set(key, made);
      return made;
    },
    all: () => [...known.values()],
  };
};

const spreadOf = (
  pod: PodClass,
  constraint: SpreadConstraint,
  eligible: EligibleDomains,
): Spread & { counts: Selects } => {
  const { counts, self } = selectsBySpread(constraint, pod);
  return {
    constraint,
    tally: new Tally(constraint.topologyKey),
    self: self ? 1 : 0,
    counts,
    potential: new Set(),
    ...eligible,
  };
};

/** Equal terms share their counts. */
const termTallies = (classes: readonly PodClass[], namespaces: Record<string, Labels>) => {
  const known = new Map<
    string,
    { term: PodTerm; own: string; selected: PodClass[]; matching: Tally; holding: Tally }
  >();
  return {
    of: ({ namespace }: PodClass, term: PodTerm) => {
      const isLocal = !term.namespaces?.length && !term.namespaceSelector;
      const key = `${isLocal ? namespace : ''} ${JSON.stringify(term)}`;
      const found = known.get(key);
      if (found) return found;
      const selects = selectsByTerm(term, namespace, namespaces);
      const made = {
        term,
        own: namespace,
        selected: classes.filter(selects),
        matching: new Tally(term.topologyKey),
        holding: new Tally(term.topologyKey),
      };
      known.set(key, made);
      return made;
    },
    all: () => known.values(),
  };
};

const compileAffinity = (pod: PodClass, classes: readonly PodClass[], namespaces: Record<string, Labels>) => {
  const terms = pod.shape.affinity ?? [];
  if (terms.length === 0) return undefined;
  const selects = terms.map((term) => selectsByTerm(term, pod.namespace, namespaces));
  // Only pods that match all terms count, for each of the terms' topologies.
  const selectsAll: Selects = (other) => selects.every((one) => one(other));
  const tallies = [...new Set(terms.map(({ topologyKey }) => topologyKey))].map((key) => new Tally(key));
  return { affinity: { tallies, selfMatch: selectsAll(pod) }, selected: classes.filter(selectsAll) };
};

/** The rules by the index of the class, and the domains that they count. */
export const compileRules = (
  classes: readonly PodClass[],
  namespaces: Record<string, Labels>,
): { rules: Rules[]; domains: EligibleDomains[] } => {
  const rules = classes.map((): Rules => ({ spreads: [], avoids: [], raises: [] }));
  const raise = (selected: readonly PodClass[], tally: Tally, isEligible?: (node: Domain) => boolean) => {
    for (const { index } of selected) rules[index]!.raises.push({ tally, ...(isEligible && { isEligible }) });
  };
  const terms = termTallies(classes, namespaces);
  const eligible = eligibleDomains();
  for (const pod of classes) {
    const own = rules[pod.index]!;
    for (const constraint of pod.shape.spread ?? []) {
      const { counts, ...spread } = spreadOf(pod, constraint, eligible.of(pod, constraint));
      own.spreads.push(spread);
      raise(classes.filter(counts), spread.tally, spread.isEligible);
    }
    const compiled = compileAffinity(pod, classes, namespaces);
    if (compiled) {
      own.affinity = compiled.affinity;
      for (const tally of compiled.affinity.tallies) raise(compiled.selected, tally);
    }
    for (const term of pod.shape.antiAffinity ?? []) {
      const { matching, holding } = terms.of(pod, term);
      own.avoids.push(matching);
      own.raises.push({ tally: holding });
    }
  }
  // Anti-affinity is symmetric: a pod also avoids the pods whose terms select it.
  for (const { selected, matching, holding } of terms.all()) {
    raise(selected, matching);
    for (const { index } of selected) rules[index]!.avoids.push(holding);
  }
  return { rules, domains: eligible.all() };
};

/** Whether a pod's place depends on where other pods run. */
export const isTopological = ({ spreads, affinity, avoids }: Rules): boolean =>
  spreads.length > 0 || affinity !== undefined || avoids.length > 0;
