import { age } from '../../../kinds/kubernetes/built-in.ts';
import { humanDuration } from '../../../machinery/api/age.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { PodTemplate } from '../objects.ts';
import { builtIn, cell, filled } from './built-in.ts';
import { conditionsByType, workloadSpec } from './pod-schema.ts';

const group = 'apps';

type Spec = {
  replicas?: number;
  template?: PodTemplate;
  selector?: { matchLabels?: Record<string, string> };
  completions?: number;
  parallelism?: number;
};
const specOf = (object: KubeObject) => (object.spec ?? {}) as Spec;
const statusOf = (object: KubeObject) => (object.status ?? {}) as Record<string, number | string | undefined>;
const number = (object: KubeObject, field: string): number => Number(statusOf(object)[field] ?? 0);
const selectorText = (object: KubeObject): string =>
  Object.entries(specOf(object).selector?.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';

const containers = cell(
  'Containers',
  (object) =>
    specOf(object)
      .template?.spec?.containers?.map(({ name }) => name)
      .join(',') ?? '',
  'string',
  1,
);
const images = cell(
  'Images',
  (object) =>
    specOf(object)
      .template?.spec?.containers?.map(({ image }) => image ?? '')
      .join(',') ?? '',
  'string',
  1,
);
const selector = cell('Selector', selectorText, 'string', 1);
const readyOf = (object: KubeObject) => `${number(object, 'readyReplicas')}/${specOf(object).replicas ?? 1}`;

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

export const deployment = builtIn({
  group,
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  status: true,
  generations: true,
  scale,
  fields: { spec: workloadSpec('strategy'), status: conditionsByType },
  columns: [
    cell('Ready', readyOf),
    cell('Up-to-date', (object) => number(object, 'updatedReplicas')),
    cell('Available', (object) => number(object, 'availableReplicas')),
    age,
    containers,
    images,
    selector,
  ],
  default: (object) =>
    filled(object, {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    }),
});

export const replicaSet = builtIn({
  group,
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  status: true,
  generations: true,
  scale,
  fields: { spec: workloadSpec(undefined), status: conditionsByType },
  columns: [
    cell('Desired', (object) => specOf(object).replicas ?? 1, 'integer'),
    cell('Current', (object) => number(object, 'replicas'), 'integer'),
    cell('Ready', (object) => number(object, 'readyReplicas'), 'integer'),
    age,
    containers,
    images,
    selector,
  ],
  default: (object) => filled(object, { replicas: 1 }),
});

/** Clients list this older kind too. No controller creates its Pods. */
export const replicationController = builtIn({
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  verbs: ['get', 'list', 'watch'],
});

const nodeSelectorText = (object: KubeObject): string =>
  Object.entries(specOf(object).template?.spec?.nodeSelector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '<none>';

export const daemonSet = builtIn({
  group,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  status: true,
  generations: true,
  fields: { spec: workloadSpec('updateStrategy'), status: conditionsByType },
  columns: [
    cell('Desired', (object) => number(object, 'desiredNumberScheduled'), 'integer'),
    cell('Current', (object) => number(object, 'currentNumberScheduled'), 'integer'),
    cell('Ready', (object) => number(object, 'numberReady'), 'integer'),
    cell('Up-to-date', (object) => number(object, 'updatedNumberScheduled'), 'integer'),
    cell('Available', (object) => number(object, 'numberAvailable'), 'integer'),
    cell('Node Selector', nodeSelectorText),
    age,
    containers,
    images,
    selector,
  ],
  default: (object) =>
    filled(object, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      revisionHistoryLimit: 10,
    }),
});

export const statefulSet = builtIn({
  group,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  status: true,
  generations: true,
  scale,
  fields: { spec: workloadSpec('updateStrategy'), status: conditionsByType },
  columns: [cell('Ready', readyOf), age, containers, images],
  default: (object) =>
    filled(object, {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
    }),
});

export const controllerRevision = builtIn({
  group,
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  columns: [
    cell('Controller', ({ metadata }) => {
      const owner = metadata.ownerReferences?.find((reference) => reference.controller);
      return owner ? `${owner.kind.toLowerCase()}.apps/${owner.name}` : '<none>';
    }),
    cell('Revision', (object) => Number(object.revision ?? 0), 'integer'),
    age,
  ],
});

const jobStatus = (object: KubeObject): string => {
  const { conditions = [] } = (object.status ?? {}) as { conditions?: { type: string; status: string }[] };
  const is = (type: string) => conditions.some((condition) => condition.type === type && condition.status === 'True');
  return is('Complete') ? 'Complete' : is('Failed') ? 'Failed' : is('Suspended') ? 'Suspended' : 'Running';
};

export const job = builtIn({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  status: true,
  generations: true,
  fields: { spec: workloadSpec(undefined), status: conditionsByType },
  columns: [
    cell('Status', jobStatus),
    cell('Completions', (object) => `${number(object, 'succeeded')}/${specOf(object).completions ?? 1}`),
    cell('Duration', (object, now) => {
      const { startTime, completionTime } = statusOf(object);
      if (!startTime) return '';
      return humanDuration((completionTime ? Date.parse(String(completionTime)) : now) - Date.parse(String(startTime)));
    }),
    age,
    containers,
    images,
    selector,
  ],
  default: (object) => filled(object, { completions: 1, parallelism: 1, backoffLimit: 6 }),
});

export const cronJob = builtIn({
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  status: true,
  generations: true,
  columns: [
    cell('Schedule', (object) => String((object.spec as { schedule?: string } | undefined)?.schedule ?? '')),
    cell('Timezone', (object) => String((object.spec as { timeZone?: string } | undefined)?.timeZone ?? '<none>')),
    cell('Suspend', (object) => ((object.spec as { suspend?: boolean } | undefined)?.suspend ? 'True' : 'False')),
    cell('Active', (object) => ((object.status as { active?: unknown[] } | undefined)?.active ?? []).length, 'integer'),
    cell('Last Schedule', () => '<none>'),
    age,
  ],
});

export const appsKinds = [deployment, replicaSet, replicationController, daemonSet, statefulSet, controllerRevision];
export const batchKinds = [job, cronJob];
