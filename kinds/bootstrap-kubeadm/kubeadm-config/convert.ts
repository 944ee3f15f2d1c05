/** Converts KubeadmConfigSpec between v1beta1 and v1beta2, for every kind that contains one. */
import { isObject, type JsonValue } from '../../../machinery/api/object.ts';
import {
  change,
  conversion,
  eachOf,
  inEach,
  move,
  nested,
  type Rule,
  type Value,
  versionOf,
} from '../../common/conversion.ts';
import { failure, seconds, statusFields } from '../../common/conversion-values.ts';
import { kubeadmConfigSpec, kubeadmConfigStatus } from './schema.ts';
import * as v1beta1 from './schema-v1beta1.ts';

/** Flags: a map in v1beta1, a list sorted by name in v1beta2. */
const args: Value = {
  up: (value) =>
    isObject(value)
      ? Object.keys(value)
          .sort()
          .map((name) => ({ name, value: value[name] ?? '' }))
      : undefined,
  down: (value) =>
    Array.isArray(value)
      ? Object.fromEntries(value.filter(isObject).map((arg) => [String(arg.name), arg.value ?? '']))
      : undefined,
};

// v1beta1 always requires `layout`, v1beta2 only without an explicit layout.
const partition: Value = {
  up: (value) => {
    if (!isObject(value) || !Array.isArray(value.diskLayout) || value.diskLayout.length === 0) return value;
    const { layout: _, ...rest } = value;
    return rest;
  },
  down: (value) => (isObject(value) && value.layout === undefined ? { ...value, layout: false } : value),
};

/** v1beta1 has two of these timeouts in other parts of the object, and lacks the others. */
export const timeouts = 'timeouts';
const health = 'controlPlaneComponentHealthCheckSeconds';
const rules: Rule[] = [
  change('clusterConfiguration.apiServer.extraArgs', args),
  change('clusterConfiguration.controllerManager.extraArgs', args),
  change('clusterConfiguration.scheduler.extraArgs', args),
  change('clusterConfiguration.etcd.local.extraArgs', args),
  change('initConfiguration.nodeRegistration.kubeletExtraArgs', args),
  change('joinConfiguration.nodeRegistration.kubeletExtraArgs', args),
  move('clusterConfiguration.apiServer.timeoutForControlPlane', `initConfiguration.timeouts.${health}`, seconds),
  move('joinConfiguration.discovery.timeout', 'joinConfiguration.timeouts.tlsBootstrapSeconds', seconds),
  inEach('initConfiguration.bootstrapTokens', [move('ttl', 'ttlSeconds', seconds)]),
  change('diskSetup.partitions', eachOf(partition)),
];

const at = (value: JsonValue | undefined, ...path: string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((inner, field) => (isObject(inner) ? inner[field] : undefined), value);

const inRules = nested(rules);
/** `spec` of a KubeadmConfig. */
export const specValue: Value = {
  rules,
  // v1beta1 has one timeout for the control plane; v1beta2 has one for init and one for join.
  up: (value, context) => {
    const spec = inRules.up(value, context);
    const wait = at(value, 'clusterConfiguration', 'apiServer', 'timeoutForControlPlane');
    const converted = at(spec, 'initConfiguration', 'timeouts', health);
    if (!isObject(spec) || wait === undefined || converted === undefined) return spec;
    const join = isObject(spec.joinConfiguration) ? spec.joinConfiguration : {};
    const ofJoin = isObject(join.timeouts) ? join.timeouts : {};
    return { ...spec, joinConfiguration: { ...join, timeouts: { ...ofJoin, [health]: converted } } };
  },
  down: inRules.down,
};

const group = 'bootstrap.cluster.x-k8s.io';
export const kubeadmConfigConversion = conversion(
  versionOf(`${group}/v1beta1`, { spec: v1beta1.kubeadmConfigSpec, status: v1beta1.kubeadmConfigStatus }),
  versionOf(`${group}/v1beta2`, { spec: kubeadmConfigSpec, status: kubeadmConfigStatus }),
  [
    change('spec', specValue),
    ...statusFields({ old: failure }),
    move('status.ready', 'status.initialization.dataSecretCreated'),
  ],
  timeouts,
);
