/** Labels and annotations of managed topologies. They are protocol: Cluster API tools read them. */
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';

export const topologyLabels = {
  owned: 'topology.cluster.x-k8s.io/owned',
  deployment: 'topology.cluster.x-k8s.io/deployment-name',
  pool: 'topology.cluster.x-k8s.io/pool-name',
} as const;

/** Labels of a Cluster with a topology, by which MachineDrainRules and others select it. */
export const labelsOfCluster = ({ metadata }: KubeObject): Record<string, string> => ({
  [labels.cluster]: metadata.name,
  [topologyLabels.owned]: '',
});

export const topologyAnnotations = {
  deferUpgrade: 'topology.cluster.x-k8s.io/defer-upgrade',
  holdUpgradeSequence: 'topology.cluster.x-k8s.io/hold-upgrade-sequence',
  upgradeConcurrency: 'topology.cluster.x-k8s.io/upgrade-concurrency',
  dryRun: 'topology.cluster.x-k8s.io/dry-run',
  unsafeClassChange: 'unsafe.topology.cluster.x-k8s.io/disable-update-class-name-check',
  unsafeVersionChange: 'unsafe.topology.cluster.x-k8s.io/disable-update-version-check',
} as const;

/** A dry run of a Cluster that has it answers with the topology's changes in it: JSON, gzipped, in base64. */
export const planAnnotation = 'capstan.dev/plan';

/** The name of the topology controller, as the writer of its changes. */
export const topologyController = 'topology';

/** The field manager of what the topology controller applies. */
export const topologyManager = 'capi-topology';

/** The topology controller compares by dry runs, which immutable fields must not refuse. */
export const isTopologyDryRun = ({ metadata }: KubeObject, { dryRun }: Admission): boolean =>
  dryRun && topologyAnnotations.dryRun in (metadata.annotations ?? {});
