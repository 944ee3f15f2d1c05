/**
 * The annotations of a MachineDeployment that Capstan scales, and what they mean. cluster-autoscaler
 * acts on every object with its own pair of sizes, so that pair alone opts in to nothing here. Pure.
 */
import { parseDuration } from '../../../machinery/api/durations.ts';
import { annotations } from '../labels.ts';

export const autoscale = {
  /** `true`: Capstan scales between the sizes of cluster-autoscaler's pair; `false`: it never scales. */
  enabled: 'capstan.dev/autoscale',
  min: 'capstan.dev/autoscale-min',
  max: 'capstan.dev/autoscale-max',
  removedPercent: 'capstan.dev/autoscale-removed-percent',
  schedule: 'capstan.dev/autoscale-schedule',
  alarms: 'capstan.dev/autoscale-alarms',
  headroom: 'capstan.dev/autoscale-headroom',
  consolidate: 'capstan.dev/autoscale-consolidate',
  startupTaints: 'capstan.dev/autoscale-startup-taints',
} as const;

/** Of a pool; times in milliseconds. */
export type PoolSettings = {
  /** How long a node is unneeded before its removal. Default 10 minutes. */
  unneededTime?: number;
  /** How long an unready node is kept. Default 20 minutes. */
  unreadyTime?: number;
  /** A node under this share of its allocatable resources is a candidate for removal. Default 0.5. */
  utilizationThreshold?: number;
  /** The same for nodes with GPUs, of which only the GPUs count. Default 0.5. */
  gpuUtilizationThreshold?: number;
  /** How long a Machine may take to become a Node. Default 15 minutes. */
  provisionTime?: number;
  /** How long a Node may take to become ready. Default 15 minutes. */
  startupTime?: number;
  /** Of the pool, how many nodes are removed at once, in percent. Default 10, or 10 empty nodes. At least one. */
  removedPercent?: number;
};

type Form = {
  parse: (text: string) => number | undefined;
  /** What a valid value is, for the message about another one. */
  rule: string;
};

const count = (text: string): number | undefined =>
  /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
export const size: Form = { parse: count, rule: 'must be an integer between 0 and 2147483647' };
const share: Form = {
  parse: (text) => (/^\d*\.?\d+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined),
  rule: 'must be a number between 0 and 1',
};
const time: Form = {
  parse: (text) => {
    const seconds = parseDuration(text);
    return seconds !== undefined && seconds >= 0 ? seconds * 1000 : undefined;
  },
  rule: "must be a duration that is not negative, such as '10m' or '1h30m'",
};
const percent: Form = {
  parse: (text) => {
    const parsed = count(text);
    return parsed !== undefined && parsed >= 1 && parsed <= 100 ? parsed : undefined;
  },
  rule: 'must be an integer between 1 and 100',
};

const ofClusterAutoscaler = (name: string) => `cluster.x-k8s.io/autoscaling-options-${name}`;

/** Options are named as cluster-autoscaler names them, so that a pool keeps them when it changes hands. */
export const poolSettings: readonly (Form & { field: keyof PoolSettings; annotation: string })[] = [
  { field: 'unneededTime', annotation: ofClusterAutoscaler('scaledownunneededtime'), ...time },
  { field: 'unreadyTime', annotation: ofClusterAutoscaler('scaledownunreadytime'), ...time },
  { field: 'utilizationThreshold', annotation: ofClusterAutoscaler('scaledownutilizationthreshold'), ...share },
  { field: 'gpuUtilizationThreshold', annotation: ofClusterAutoscaler('scaledowngpuutilizationthreshold'), ...share },
  { field: 'provisionTime', annotation: ofClusterAutoscaler('maxnodeprovisiontime'), ...time },
  { field: 'startupTime', annotation: ofClusterAutoscaler('maxnodestartuptime'), ...time },
  { field: 'removedPercent', annotation: autoscale.removedPercent, ...percent },
];

type Given = { metadata: { annotations?: Record<string, string> } };

/** Capstan's own pair of sizes, or cluster-autoscaler's where `capstan.dev/autoscale` hands it over. */
export const sizeAnnotations = ({ metadata }: Given): { min: string; max: string } | undefined => {
  const given = metadata.annotations ?? {};
  if (given[autoscale.enabled] === 'false') return undefined;
  if (autoscale.min in given || autoscale.max in given) return { min: autoscale.min, max: autoscale.max };
  return given[autoscale.enabled] === 'true'
    ? { min: annotations.autoscalerMin, max: annotations.autoscalerMax }
    : undefined;
};

export type PoolBounds = { min: number; max: number };

/** The sizes between which Capstan scales; undefined for a pool that did not opt in. */
export const boundsOf = (object: Given): PoolBounds | undefined => {
  const named = sizeAnnotations(object);
  if (!named) return undefined;
  const given = object.metadata.annotations ?? {};
  const [min, max] = [size.parse(given[named.min] ?? ''), size.parse(given[named.max] ?? '')];
  return min === undefined || max === undefined || max < min ? undefined : { min, max };
};

/** Without the values that are malformed, which objects from before their admission may have. */
export const settingsOf = ({ metadata }: Given): PoolSettings =>
  Object.fromEntries(
    poolSettings.flatMap(({ field, annotation, parse }) => {
      const value = parse(metadata.annotations?.[annotation] ?? '');
      return value === undefined ? [] : [[field, value]];
    }),
  );
