/** Commands for what a message says of refusals of the API, and of objects that do not exist. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Graph } from './graph.ts';
import { inCluster } from './in-cluster.ts';

type Remedy = (found: RegExpExecArray, object: KubeObject, graph: Graph) => string[];

const inNamespace = ({ metadata: { namespace } }: KubeObject): string => (namespace ? ` -n ${namespace}` : '');

const merge = (target: string, patch: object): string =>
  `kubectl patch ${target} --type merge -p '${JSON.stringify(patch)}'`;

/** `count/machines.cluster.x-k8s.io=3,count/secrets=1`. */
const amountsIn = (text = ''): Map<string, number> =>
  new Map(
    text.split(',').flatMap((one) => {
      const [, name, amount] = /^(.+)=(\d+)$/.exec(one) ?? [];
      return name === undefined ? [] : [[name, Number(amount)] as const];
    }),
  );

/** Raises a ResourceQuota to what is used and asked for. */
const raiseQuota: Remedy = ([, name, requested, used], object) => {
  const before = amountsIn(used);
  const hard = Object.fromEntries(
    [...amountsIn(requested)].map(([what, amount]) => [what, String((before.get(what) ?? 0) + amount)]),
  );
  return [
    `kubectl describe resourcequota ${name}${inNamespace(object)}`,
    merge(`resourcequota ${name}${inNamespace(object)}`, { spec: { hard } }),
  ];
};

/** Raises what limits Machines, by one above those that exist. */
const raiseMachines = (source: string, wanted: number, object: KubeObject): string[] => {
  const [, what, quota] = /^(\S+) of ResourceQuota (\S+)$/.exec(source) ?? [];
  if (quota !== undefined && what !== undefined)
    return [merge(`resourcequota ${quota}${inNamespace(object)}`, { spec: { hard: { [what]: String(wanted) } } })];
  const [, annotation, namespace] = /^annotation (\S+) of namespace (\S+)$/.exec(source) ?? [];
  if (annotation !== undefined) return [`kubectl annotate namespace ${namespace} --overwrite ${annotation}=${wanted}`];
  const [, field, installation] = /^spec\.(\w+) of installation (\S+)$/.exec(source) ?? [];
  return field === undefined ? [] : [merge(`installation ${installation}`, { spec: { [field]: wanted } })];
};

const webhooks =
  "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o custom-columns='KIND:.kind,NAME:.metadata.name,WEBHOOKS:.webhooks[*].name'";

/** The key that a spec asks of a Secret or ConfigMap. */
const keyOf = (kind: string, name: string, value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.map((one) => keyOf(kind, name, one)).find(Boolean);
  for (const [field, inner] of Object.entries(value)) {
    const named = inner as { name?: unknown; key?: unknown } | null;
    const isNamed = field.toLowerCase().startsWith(kind.toLowerCase()) && named?.name === name;
    if (isNamed && typeof named.key === 'string') return named.key;
    const found = keyOf(kind, name, inner);
    if (found !== undefined) return found;
  }
  return undefined;
};

const create: Record<string, string> = { Secret: 'secret generic', ConfigMap: 'configmap' };

/** Capstan makes them, or says itself how a user gets them back. */
const isOfCluster = (name: string, { cluster }: Graph): boolean =>
  ['ca', 'etcd', 'sa', 'proxy', 'kubeconfig'].some((purpose) => name === `${cluster?.metadata.name}-${purpose}`);

/** From a file, because a value on the command line stays in the history of the shell. */
const createMissing = (kind: string, name: string, object: KubeObject, graph: Graph): string[] => {
  if (isOfCluster(name, graph)) return [];
  const key = [object, ...graph.objects].map(({ spec }) => keyOf(kind, name, spec)).find(Boolean);
  const type =
    kind === 'Secret' && object.kind === 'ClusterResourceSet' ? ' --type=addons.cluster.x-k8s.io/resource-set' : '';
  const file = key === undefined ? 'FILE' : `${key}=FILE`;
  return [`kubectl create ${create[kind]} ${name}${inNamespace(object)}${type} --from-file=${file}`];
};

const addKey = (kind: string, name: string, key: string, object: KubeObject): string => {
  const content = kind === 'Secret' ? { stringData: { [key]: 'VALUE' } } : { data: { [key]: 'VALUE' } };
  return merge(`${kind.toLowerCase()} ${name}${inNamespace(object)}`, content);
};

/** What a budget of the workload cluster permits is changed there. */
const budget: Remedy = ([, namespace, name], _, { cluster }) => {
  if (!cluster) return [];
  return inCluster(
    cluster.metadata,
    `get poddisruptionbudget ${name} -n ${namespace} -o yaml`,
    `patch poddisruptionbudget ${name} -n ${namespace} --type merge -p '{"spec":{"maxUnavailable":1,"minAvailable":null}}'`,
  );
};

const held = String.raw`(Secret|ConfigMap) (?:[\w.-]+/)?([a-z0-9](?:[\w.-]*\w)?)`;

const remedies: readonly [RegExp, Remedy][] = [
  [/exceeded quota: (\S+), requested: (\S+=\d\S*), used: (\S+), limited: /, raiseQuota],
  [
    /exceeded quota: (.+?), requested: (\d+) Machines, used: (\d+), limited: /,
    ([, source = '', requested, used], object) => raiseMachines(source, Number(used) + Number(requested), object),
  ],
  [
    /exceeded quota: (.+?) is \d+, (\d+) Machines exist/,
    ([, source = '', used], object) => raiseMachines(source, Number(used) + 1, object),
  ],
  [
    /exceeded quota: (.+?) \((\d+)\)/,
    ([, source = '', most], object) => raiseMachines(source, Number(most) + 1, object),
  ],
  [/\bPodDisruptionBudget ([\w.-]+)\/([\w.-]*\w): It never permits/, budget],
  [/(?:admission webhook|failed calling webhook) "/, () => [webhooks]],
  [
    /\b(?:(Validating)AdmissionPolicy|policy) '([^']+)' with binding '([^']+)' denied/,
    ([, kind = 'Mutating', policy, binding]) => [
      `kubectl get ${kind.toLowerCase()}admissionpolicy ${policy} -o yaml`,
      `kubectl get ${kind.toLowerCase()}admissionpolicybinding ${binding} -o yaml`,
    ],
  ],
  [
    new RegExp(String.raw`\b${held} has no key ([\w.-]*\w)`),
    ([, kind = '', name = '', key = ''], object, graph) =>
      isOfCluster(name, graph) ? [] : [addKey(kind, name, key, object)],
  ],
  [
    new RegExp(String.raw`\bkey ([\w.-]+) of ${held}`),
    ([, key = '', kind = '', name = ''], object) => [addKey(kind, name, key, object)],
  ],
  [
    new RegExp(String.raw`\bWaiting for ${held}, which`),
    ([, kind = '', name = ''], object, graph) => createMissing(kind, name, object, graph),
  ],
  [
    new RegExp(String.raw`\b${held}(?:, which)? (?:does not exist|not found)(?! with)`),
    ([, kind = '', name = ''], object, graph) => createMissing(kind, name, object, graph),
  ],
];

/** Of the first refusal that the message names. */
export const remediesIn = (message: string, object: KubeObject, graph: Graph): string[] => {
  for (const [pattern, remedy] of remedies) {
    const found = pattern.exec(message);
    if (found) return remedy(found, object, graph);
  }
  return [];
};
