/**
 * An infrastructure of which only the contract's fields are known: what its provider does not add is
 * answered from them. Pure.
 */
import { type GroupKind, isSameKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../cluster/schema.ts';
import { isProvisioned } from './cluster.ts';
import type { Infrastructure, InfrastructureProvider, Preflight } from './infrastructure.ts';
import { namedKind } from './named.ts';
import { followPart } from './references.ts';

const passed: Preflight = { verdict: 'passed', message: '' };

/** All that the contract tells before anything is created: the object exists, and its kind is served. */
const preflight = (cluster: Cluster, read: Reader): Preflight => {
  const { metadata, spec } = cluster;
  const owner = `Cluster ${metadata.namespace}/${metadata.name}`;
  const reference = spec?.infrastructureRef;
  const waits = (message: string): Preflight => ({ verdict: 'pending', message });
  if (!reference) return waits(`Waiting for spec.infrastructureRef, which ${owner} names`);
  const part = followPart(read, cluster, reference, 'InfrastructureCluster');
  const name = `${reference.kind} ${reference.name}`;
  switch (part.state) {
    case 'found':
      return passed;
    case 'absent':
      return waits(part.because ?? `Waiting for ${name}, which ${owner} names`);
    case 'unread':
      return waits(`Waiting for ${name}`);
    case 'unreadable':
      return waits(`${name} cannot be read: ${part.reason}`);
    default:
      throw new Error(`unknown answer ${part satisfies never}`);
  }
};

const unknownHosts = (kind: string): Read<string[]> => ({
  state: 'unreadable',
  reason: `the provider of ${kind} does not tell which hosts run`,
});

const plain = ({ group, kind }: GroupKind): Infrastructure => ({
  group,
  kind,
  followsTargets: false,
  preflight,
  replacementPreflight: () => passed,
  leftovers: () => ({
    left: { state: 'found', value: [] },
    isWhole: true,
    stranded: [],
    last: { names: [], actions: [] },
  }),
  controlPlaneHosts: () => unknownHosts(kind),
  endedHosts: () => unknownHosts(kind),
  outage: () => undefined,
  unfinishedNetwork: (infrastructure: KubeObject) => (isProvisioned(infrastructure) ? [] : ['Ready']),
  // Its object goes once all that it stands for is gone.
  loadBalancer: { condition: 'Ready', isReady: isProvisioned, isGone: () => true },
  machineDelays: [],
  stays: () => [],
  exclusions: () => [],
});

export const withDefaults = (provider: InfrastructureProvider): Infrastructure => ({
  ...plain(provider),
  ...provider,
});

/** Of the kind that the Cluster names, whether or not a provider of that kind is known. */
export const infrastructureOf = ({ spec }: Cluster, providers: readonly InfrastructureProvider[]): Infrastructure => {
  const kind = namedKind(spec?.infrastructureRef ?? { kind: 'the infrastructure' });
  return withDefaults(providers.find((provider) => isSameKind(provider, kind)) ?? kind);
};
