/** Metrics of stored objects, with the names of Cluster API's kube-state-metrics configuration. Pure. */
import { labels } from '../../kinds/common/labels.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';

export interface Family {
  name: string;
  help: string;
  samples: { labels: Record<string, string>; value: number }[];
}

/** The objects of each kind that metrics are made of. */
export interface Observed {
  clusters: readonly KubeObject[];
  controlPlanes: readonly KubeObject[];
  machineDeployments: readonly KubeObject[];
  machines: readonly KubeObject[];
  operations: readonly KubeObject[];
  plans: readonly KubeObject[];
  installations: readonly KubeObject[];
}

type Fields = Record<string, unknown>;
const specOf = ({ spec }: KubeObject): Fields => (spec ?? {}) as Fields;
const statusOf = ({ status }: KubeObject): Fields => (status ?? {}) as Fields;

const identityOf = ({ metadata }: KubeObject): Record<string, string> => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});
const memberOf = (object: KubeObject): Record<string, string> => ({
  ...identityOf(object),
  cluster_name: String(specOf(object).clusterName ?? object.metadata.labels?.[labels.cluster] ?? ''),
});

/** One sample an object: 1, with its phase as a label. */
const phases = (kind: string, objects: readonly KubeObject[], labelsOf: typeof identityOf): Family => ({
  name: `capi_${kind}_status_phase`,
  help: `The phase of each ${kind}.`,
  samples: objects.map((object) => ({
    labels: { ...labelsOf(object), phase: String(statusOf(object).phase ?? 'Unknown') },
    value: 1,
  })),
});

/** One sample a condition: 1, with its status as a label. */
const conditions = (kind: string, objects: readonly KubeObject[], labelsOf: typeof identityOf): Family => ({
  name: `capi_${kind}_status_condition`,
  help: `The conditions of each ${kind}.`,
  samples: objects.flatMap((object) =>
    ((statusOf(object).conditions ?? []) as Condition[]).map(({ type, status }) => ({
      labels: { ...labelsOf(object), type, status: status.toLowerCase() },
      value: 1,
    })),
  ),
});

/** The field as a number; objects without it have no sample. */
const numbers = (
  name: string,
  help: string,
  objects: readonly KubeObject[],
  { labelsOf, fieldOf }: { labelsOf: typeof identityOf; fieldOf: (object: KubeObject) => unknown },
): Family => ({
  name,
  help,
  samples: objects.flatMap((object) => {
    const value = Number(fieldOf(object) ?? Number.NaN);
    return Number.isFinite(value) ? [{ labels: labelsOf(object), value }] : [];
  }),
});

const replicaFields = {
  spec_replicas: ['Desired replicas', (object: KubeObject) => specOf(object).replicas],
  status_replicas: ['Machines', (object: KubeObject) => statusOf(object).replicas],
  status_replicas_ready: ['Ready Machines', (object: KubeObject) => statusOf(object).readyReplicas],
  status_replicas_available: ['Available Machines', (object: KubeObject) => statusOf(object).availableReplicas],
  status_replicas_uptodate: [
    'Machines that follow the spec',
    (object: KubeObject) => statusOf(object).upToDateReplicas,
  ],
} as const;

const replicas = (kind: string, objects: readonly KubeObject[]): Family[] =>
  Object.entries(replicaFields).map(([field, [what, fieldOf]]) =>
    numbers(`capi_${kind}_${field}`, `${what} of each ${kind}.`, objects, { labelsOf: memberOf, fieldOf }),
  );

const operationsOf = (operations: readonly KubeObject[]): Family => ({
  name: 'capstan_clusteroperation_status_phase',
  help: 'Operations of clusters in the record, by type, phase and the step at which they are or ended.',
  samples: operations.map((operation) => {
    const { phase = 'Pending', step = '' } = statusOf(operation);
    return {
      labels: {
        ...memberOf(operation),
        type: String(specOf(operation).type),
        phase: String(phase),
        step: String(step),
      },
      value: 1,
    };
  }),
});

const plansOf = (plans: readonly KubeObject[]): Family[] => [
  numbers('capstan_scalingplan_pending_pods', 'Pods without a node, as each cluster reported last.', plans, {
    labelsOf: memberOf,
    fieldOf: (plan) => statusOf(plan).pending,
  }),
  numbers('capstan_scalingplan_dollars_per_hour', 'What the scaled pools of each cluster cost an hour.', plans, {
    labelsOf: memberOf,
    fieldOf: (plan) => (statusOf(plan).usage as Fields | undefined)?.dollarsPerHour,
  }),
];

const installationOf = (installations: readonly KubeObject[]): Family[] => [
  numbers('capstan_installation_frozen', 'Whether the installation acts on nothing.', installations, {
    labelsOf: () => ({}),
    fieldOf: (installation) => (statusOf(installation).frozen ? 1 : 0),
  }),
  numbers('capstan_installation_orphaned_resources', 'AWS resources without an object.', installations, {
    labelsOf: () => ({}),
    fieldOf: (installation) => statusOf(installation).orphanCount ?? 0,
  }),
];

export const objectFamilies = (observed: Observed): Family[] => [
  phases('cluster', observed.clusters, identityOf),
  conditions('cluster', observed.clusters, identityOf),
  ...replicas('kubeadmcontrolplane', observed.controlPlanes),
  ...replicas('machinedeployment', observed.machineDeployments),
  phases('machine', observed.machines, memberOf),
  conditions('machine', observed.machines, memberOf),
  operationsOf(observed.operations),
  ...plansOf(observed.plans),
  ...installationOf(observed.installations),
];
