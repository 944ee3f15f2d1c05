/** Whether what runs in the cluster lets its machines go, and its API answer. Pure. */
import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { controllerOf } from '../../common/owners.ts';
import { type Finding, nameOf, ofWorkload, type WorkloadFacts } from './facts.ts';

type Budget = KubeObject<
  { selector?: LabelSelector; maxUnavailable?: number | string; minAvailable?: number | string },
  { disruptionsAllowed?: number; expectedPods?: number }
>;

/** A budget that permits no eviction although its pods are there. */
const blocked = (budget: Budget): Finding[] => {
  const { disruptionsAllowed = 0, expectedPods = 0 } = budget.status ?? {};
  if (expectedPods === 0 || disruptionsAllowed > 0) return [];
  const { maxUnavailable, minAvailable } = budget.spec ?? {};
  const isNever = maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
  return [
    {
      code: 'DisruptionBudgetBlocks',
      level: 'Warn',
      object: nameOf(budget, true),
      message: isNever
        ? `It never permits an eviction of its ${expectedPods} Pods`
        : `It permits no eviction of its ${expectedPods} Pods now`,
      remedy: 'Permit one, add replicas, or set deletion.nodeDrainTimeoutSeconds of the Machines',
    },
  ];
};

const mirror = 'kubernetes.io/config.mirror';
const isStatic = ({ metadata }: KubeObject): boolean => metadata.annotations?.[mirror] !== undefined;
const phaseOf = ({ status }: KubeObject): string => (status as { phase?: string } | undefined)?.phase ?? '';
const isRunning = (pod: KubeObject): boolean => !['Succeeded', 'Failed'].includes(phaseOf(pod));

/** Whether a drain evicts the Pod, and the Eviction API asks its budgets. */
const isBudgeted = (pod: KubeObject): boolean =>
  isRunning(pod) && phaseOf(pod) !== 'Pending' && !isStatic(pod) && controllerOf(pod)?.kind !== 'DaemonSet';

/** The Eviction API refuses a Pod of two budgets for ever. */
const overlapping = (budgets: readonly Budget[], pods: readonly KubeObject[]): Finding[] => {
  const selecting = pods.filter(isBudgeted).flatMap((pod) => {
    const own = budgets.filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace && labelMatcher(spec?.selector)(pod.metadata.labels),
    );
    const names = own.map(({ metadata }) => metadata.name).toSorted();
    return names.length > 1 ? [{ pod, of: `${pod.metadata.namespace}/${names.join(', ')}` }] : [];
  });
  return [...Map.groupBy(selecting, ({ of }) => of)].map(([of, all]): Finding => {
    const [{ pod }] = all as [(typeof all)[number]];
    return {
      code: 'DisruptionBudgetsOverlap',
      level: 'Refuse',
      object: `PodDisruptionBudgets ${of}`,
      message:
        all.length === 1
          ? `They all select Pod ${pod.metadata.name}: it can never be evicted`
          : `They all select ${all.length} Pods, such as ${pod.metadata.name}: they can never be evicted`,
      remedy: 'Let one budget select each Pod',
    };
  });
};

export const checkDisruptionBudgets = ofWorkload(({ podDisruptionBudgets, pods }) => {
  const budgets = podDisruptionBudgets as readonly Budget[];
  return [...budgets.flatMap(blocked), ...overlapping(budgets, pods)];
});

export const checkBarePods = ofWorkload(({ pods }) =>
  pods
    .filter((pod) => isRunning(pod) && !controllerOf(pod) && !isStatic(pod))
    .map((pod) => ({
      code: 'PodWithoutController',
      level: 'Warn',
      object: nameOf(pod, true),
      message: 'It is not created again after it was evicted',
      remedy: 'Run it under a Deployment, StatefulSet or Job',
    })),
);

interface Webhook {
  name: string;
  failurePolicy?: string;
  clientConfig?: { service?: { namespace: string; name: string } };
  rules?: { apiGroups?: string[]; resources?: string[] }[];
}
/** Resources without which no machine can be replaced, by API group. */
const vital: Record<string, string[]> = {
  '': ['pods', 'pods/*', 'pods/eviction', 'nodes', 'nodes/*'],
  'coordination.k8s.io': ['leases', 'leases/*'],
};
const isVital = ({ rules = [] }: Webhook): boolean =>
  rules.some(({ apiGroups = [], resources = [] }) =>
    Object.entries(vital).some(
      ([group, names]) =>
        apiGroups.some((one) => one === '*' || one === group) &&
        resources.some((one) => one === '*' || one === '*/*' || names.includes(one)),
    ),
  );

type Slice = { endpoints?: { conditions?: { ready?: boolean } }[] };
const hasEndpoints = (slices: WorkloadFacts['endpointSlices'], service: { namespace: string; name: string }): boolean =>
  slices.some(
    (slice) =>
      slice.metadata.namespace === service.namespace &&
      slice.metadata.labels?.['kubernetes.io/service-name'] === service.name &&
      (slice as Slice).endpoints?.some(({ conditions }) => conditions?.ready !== false),
  );

export const checkWebhooks = ofWorkload(({ webhookConfigurations, endpointSlices }) =>
  webhookConfigurations.flatMap((configuration) =>
    ((configuration as { webhooks?: Webhook[] }).webhooks ?? [])
      .filter((webhook) => webhook.failurePolicy !== 'Ignore' && isVital(webhook))
      .flatMap((webhook): Finding[] => {
        const service = webhook.clientConfig?.service;
        if (!service || hasEndpoints(endpointSlices, service)) return [];
        return [
          {
            code: 'WebhookUnavailable',
            level: 'Refuse',
            object: nameOf(configuration),
            message: `Webhook ${webhook.name} must answer for Pods or Nodes, and Service ${service.namespace}/${service.name} has no ready endpoint`,
            remedy: 'Start its Pods, or set failurePolicy to Ignore',
          },
        ];
      }),
  ),
);

type Conditioned = { conditions?: { type: string; status: string; message?: string }[] };
export const checkApiServices = ofWorkload(({ apiServices }) =>
  apiServices.flatMap((service): Finding[] => {
    const available = (service.status as Conditioned | undefined)?.conditions?.find(({ type }) => type === 'Available');
    if (!available || available.status === 'True') return [];
    return [
      {
        code: 'APIServiceUnavailable',
        level: 'Warn',
        object: nameOf(service),
        message: `Its API does not answer${available.message ? `: ${available.message}` : ''}`,
        remedy: 'Repair or delete it: namespaces cannot be deleted and discovery is incomplete meanwhile',
      },
    ];
  }),
);

type Definition = KubeObject<{ versions?: { name: string; served?: boolean }[] }, { storedVersions?: string[] }>;
export const checkStoredVersions = ofWorkload(({ customResourceDefinitions }) =>
  (customResourceDefinitions as readonly Definition[]).flatMap((definition): Finding[] => {
    const served = (definition.spec?.versions ?? []).filter((version) => version.served).map(({ name }) => name);
    const lost = (definition.status?.storedVersions ?? []).filter((name) => !served.includes(name));
    if (lost.length === 0) return [];
    return [
      {
        code: 'StoredVersionNotServed',
        level: 'Warn',
        object: nameOf(definition),
        message: `Objects are stored as ${lost.join(', ')}, which is no longer served`,
        remedy: 'Migrate them to a served version',
      },
    ];
  }),
);
