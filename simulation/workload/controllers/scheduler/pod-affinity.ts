/** Required affinity and anti-affinity between pods, as the scheduler's filter plugin InterPodAffinity evaluates them. */
import { ownValue } from '../../../../machinery/api/labels.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type NodeObject, type PodAffinityTerm, type PodObject, selects } from '../../objects.ts';

const requiredOf = (pod: PodObject, kind: 'podAffinity' | 'podAntiAffinity'): PodAffinityTerm[] =>
  pod.spec?.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** A term that names no namespace means that of its pod. */
const isMeant = (term: PodAffinityTerm, owner: PodObject, other: PodObject, namespaces: readonly KubeObject[]) => {
  const { namespace = '' } = other.metadata;
  const { namespaces: named = [], namespaceSelector, labelSelector } = term;
  const isNamed =
    named.includes(namespace) || (named.length === 0 && !namespaceSelector && namespace === owner.metadata.namespace);
  const labelsOf = () => namespaces.find(({ metadata }) => metadata.name === namespace)?.metadata.labels;
  return (isNamed || selects(namespaceSelector, labelsOf())) && selects(labelSelector, other.metadata.labels);
};

const affinityText = "didn't match pod affinity rules";
const antiAffinityText = "didn't match pod anti-affinity rules";
const existingText = "didn't satisfy existing pods anti-affinity rules";

/** Why pods that are placed keep this pod away from a node; counted once for all nodes. */
export const affinityFilter = (
  pod: PodObject,
  nodes: readonly NodeObject[],
  placed: readonly PodObject[],
  namespaces: readonly KubeObject[],
): ((node: NodeObject) => string | undefined) => {
  const repelling = placed.filter((other) => other.spec?.affinity?.podAntiAffinity);
  if (repelling.length === 0 && !pod.spec?.affinity) return () => undefined;
  const labels = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const domainOf = (other: PodObject, key: string): string | undefined =>
    ownValue(labels.get(other.spec?.nodeName ?? ''), key);
  const domains = (term: PodAffinityTerm, others: readonly PodObject[]): Set<string | undefined> =>
    new Set(
      others.filter((other) => isMeant(term, pod, other, namespaces)).map((other) => domainOf(other, term.topologyKey)),
    );

  const wanted = requiredOf(pod, 'podAffinity').map((term) => ({ term, near: domains(term, placed) }));
  // The first pod of a group that attracts itself has nothing to be near to.
  const isFirst =
    wanted.every(({ near }) => near.size === 0) && wanted.every(({ term }) => isMeant(term, pod, pod, namespaces));
  const avoided = requiredOf(pod, 'podAntiAffinity').map((term) => ({ term, near: domains(term, placed) }));
  const avoiding = repelling.flatMap((other) =>
    requiredOf(other, 'podAntiAffinity')
      .filter((term) => isMeant(term, other, pod, namespaces))
      .map(({ topologyKey }) => ({ topologyKey, domain: domainOf(other, topologyKey) })),
  );
  return ({ metadata: { labels: own } }) => {
    type Near = (typeof wanted)[number];
    const isIn = ({ term, near }: Near, isEnough = false): boolean => {
      const domain = ownValue(own, term.topologyKey);
      return domain !== undefined && (isEnough || near.has(domain));
    };
    if (!wanted.every((one) => isIn(one, isFirst))) return affinityText;
    if (avoided.some((one) => isIn(one))) return antiAffinityText;
    const isAvoided = avoiding.some(
      ({ topologyKey, domain }) => domain !== undefined && ownValue(own, topologyKey) === domain,
    );
    return isAvoided ? existingText : undefined;
  };
};

/** Such rules of other pods can be met by the removal of pods; a missing companion cannot. */
export const isResolvable = (text: string): boolean => text !== affinityText;
