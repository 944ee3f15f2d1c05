/** Whether admission webhooks let the upgrade replace Machines and Pods. Pure. */
import { labelMatcher } from '../../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../../machinery/api/object.ts';
import { type Finding, nameOf, ofWorkload, type WorkloadFacts } from './facts.ts';

interface Service {
  namespace: string;
  name: string;
}
interface Webhook {
  name: string;
  failurePolicy?: string;
  clientConfig?: { service?: Service };
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  rules?: { apiGroups?: string[]; resources?: string[]; operations?: string[] }[];
}
type Rule = NonNullable<Webhook['rules']>[number];

/** Resources without which no machine can be replaced, by API group. */
const vital: Record<string, string[]> = {
  '': ['pods', 'pods/*', 'pods/eviction', 'nodes', 'nodes/*'],
  'coordination.k8s.io': ['leases', 'leases/*'],
};
const concerns = ({ apiGroups = [], resources = [] }: Rule, group: string, names: readonly string[]): boolean =>
  apiGroups.some((one) => one === '*' || one === group) &&
  resources.some((one) => one === '*' || one === '*/*' || names.includes(one));

const isVital = ({ rules = [] }: Webhook): boolean =>
  rules.some((rule) => Object.entries(vital).some(([group, names]) => concerns(rule, group, names)));

interface Endpoint {
  conditions?: { ready?: boolean };
  nodeName?: string;
  targetRef?: { kind?: string; name?: string };
}
type Slice = KubeObject & { endpoints?: Endpoint[] | null };

const endpointsOf = (slices: WorkloadFacts['endpointSlices'], { namespace, name }: Service): Endpoint[] =>
  (slices as readonly Slice[])
    .filter(
      ({ metadata }) => metadata.namespace === namespace && metadata.labels?.['kubernetes.io/service-name'] === name,
    )
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false);

/** Selectors of a webhook that are absent select everything. */
const matches = (selector: LabelSelector | undefined, labels: Record<string, string> | undefined): boolean =>
  selector === undefined || labelMatcher(selector)(labels);

/** Whether the webhook must admit the creation of its own Pods. */
const admitsItself = (
  { rules = [], namespaceSelector, objectSelector }: Webhook,
  { namespace }: Service,
  endpoints: readonly Endpoint[],
  { namespaces, pods }: WorkloadFacts,
): boolean => {
  const createsPods = rules.some(
    (rule) =>
      concerns(rule, '', ['pods']) && (rule.operations ?? []).some((operation) => ['CREATE', '*'].includes(operation)),
  );
  const home = namespaces.find(({ metadata }) => metadata.name === namespace);
  const own = pods.filter(
    ({ metadata }) =>
      metadata.namespace === namespace && endpoints.some(({ targetRef }) => targetRef?.name === metadata.name),
  );
  return (
    createsPods &&
    matches(namespaceSelector, home?.metadata.labels ?? { 'kubernetes.io/metadata.name': namespace }) &&
    own.some(({ metadata }) => matches(objectSelector, metadata.labels))
  );
};

const judge = (configuration: KubeObject, webhook: Webhook, workload: WorkloadFacts): Finding[] => {
  const service = webhook.clientConfig?.service;
  if (!service) return [];
  const object = nameOf(configuration);
  const of = `Service ${service.namespace}/${service.name}`;
  const endpoints = endpointsOf(workload.endpointSlices, service);
  if (endpoints.length === 0)
    return [
      {
        code: 'WebhookUnavailable',
        level: 'Refuse',
        object,
        message: `Webhook ${webhook.name} must answer for Pods or Nodes, and ${of} has no ready endpoint`,
        remedy: 'Start its Pods, or set failurePolicy to Ignore',
      },
    ];
  const nodes = new Set(endpoints.map(({ nodeName }) => nodeName));
  const [node] = nodes;
  if (nodes.size > 1 || node === undefined) return [];
  if (!admitsItself(webhook, service, endpoints, workload)) return [];
  return [
    {
      code: 'WebhookBlocksItself',
      level: 'Refuse',
      object,
      message: `Webhook ${webhook.name} must admit its own Pods, and all of them run on Node ${node}: once it is drained, none can start`,
      remedy: `Exclude namespace ${service.namespace} by namespaceSelector, spread the Pods over Nodes, or set failurePolicy to Ignore`,
    },
  ];
};

export const checkWebhooks = ofWorkload((workload) =>
  [...workload.validatingWebhooks, ...workload.mutatingWebhooks].flatMap((configuration) =>
    ((configuration as { webhooks?: Webhook[] }).webhooks ?? [])
      .filter((webhook) => webhook.failurePolicy !== 'Ignore' && isVital(webhook))
      .flatMap((webhook) => judge(configuration, webhook, workload)),
  ),
);
