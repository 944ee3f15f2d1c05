/** Labels and taints that a kubelet gives its Node at registration. Pure. */
import { type Arg, type Fault, listOf, pairsOf } from './fault.ts';

const part = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

const isQualifiedName = (key: string): boolean => {
  const slash = key.indexOf('/');
  if (slash < 0) return part.test(key);
  const prefix = key.slice(0, slash);
  return prefix.length <= 253 && subdomain.test(prefix) && part.test(key.slice(slash + 1));
};
const isLabelValue = (value: string): boolean => value === '' || part.test(value);

const isWithin = (namespace: string, domain: string): boolean =>
  namespace === domain || namespace.endsWith(`.${domain}`);
const ownNamespaces = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const ownLabels = [
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

/** A label of Kubernetes' own domains that a Node must not give itself. */
const isReserved = (key: string): boolean => {
  const namespace = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  if (!isWithin(namespace, 'kubernetes.io') && !isWithin(namespace, 'k8s.io')) return false;
  return !ownLabels.includes(key) && !ownNamespaces.some((domain) => isWithin(namespace, domain));
};

export const judgeNodeLabels = (args: readonly Arg[]): Fault[] => {
  const flag = 'node-labels';
  const pairs = pairsOf(args, flag);
  const reserved = pairs.map(([key]) => key).filter(isReserved);
  const allowed = `--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${ownNamespaces.join(', ')}) or be in the specifically allowed set (${ownLabels.join(', ')})`;
  if (reserved.length > 0)
    return [
      {
        flag,
        output: `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${reserved.toSorted().join(' ')}]\n${allowed}`,
        message: `a Node may not give itself the label ${reserved.join(', ')}`,
        remedy:
          'remove it from node-labels, and set it in metadata.labels of the machines, from where it is synchronised to the Nodes',
      },
    ];
  const invalid = pairs.filter(([key, value = '']) => !isQualifiedName(key) || !isLabelValue(value));
  return invalid.slice(0, 1).map(([key, value = '']) => ({
    flag,
    output: `invalid node labels: '${isQualifiedName(key) ? value : key}' - a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
    message: `${key}=${value} is no label`,
    remedy: 'write it like pool=gpu: letters, digits, -, _ and ., at most 63 of them',
  }));
};

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export interface TaintText {
  key: string;
  value: string;
  effect: string;
}

/** `key[=value]:effect`; a fault's text if the kubelet refuses it. */
export const parseTaint = (text: string): TaintText | { refused: string } => {
  const invalid = { refused: `invalid taint spec: ${text}` };
  const [before = '', effect, ...more] = text.split(':');
  if (more.length > 0) return invalid;
  const [key = '', value = '', ...rest] = before.split('=');
  if (rest.length > 0 || effect === undefined || !isQualifiedName(key) || !isLabelValue(value)) return invalid;
  if (!taintEffects.includes(effect)) return { refused: `invalid taint effect: ${effect}, unsupported taint effect` };
  return { key, value, effect };
};

/** A trailing dash removes a taint, and so does nothing at registration. */
export const taintTexts = (value: string): string[] => listOf(value).filter((text) => !text.endsWith('-'));

export const judgeTaints = (args: readonly Arg[]): Fault[] =>
  args
    .filter(({ name }) => name === 'register-with-taints')
    .flatMap(({ name: flag, value }): Fault[] => {
      const taints = taintTexts(value).map(parseTaint);
      const refused = taints.flatMap((taint) => ('refused' in taint ? [taint.refused] : []));
      const keys = taints.flatMap((taint) => ('refused' in taint ? [] : [`${taint.key}:${taint.effect}`]));
      const twice = keys.filter((key, at) => keys.indexOf(key) !== at);
      const errors = [...refused, ...twice.map((key) => `duplicated taints with the same key and effect: ${key}`)];
      return errors.slice(0, 1).map((error) => ({
        flag,
        output: `invalid argument "${value}" for "--register-with-taints" flag: ${error}`,
        message: error,
        remedy: `write taints like key=value:NoSchedule, with the effect ${taintEffects.join(', ')}`,
      }));
    });
