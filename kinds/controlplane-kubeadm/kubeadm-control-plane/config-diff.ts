/** Whether a Machine's KubeadmConfig equals what the control plane would write now. */
import { isDeepStrictEqual } from 'node:util';
import { memoizeFrozen } from '../../../machinery/api/memoize.ts';
import type { JoinConfiguration, KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { gatesAsIn, initConfig, joinConfig } from './desired-config.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Drops empty values, except an empty list of taints, which differs from an absent one. */
const pruned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([field, child]) => [field, pruned(child)] as const)
    .filter(([field, child]) => !isEmpty(child) || (field === 'taints' && child !== undefined));
  return Object.fromEntries(entries);
};

// Controllers fill in discovery for each Machine and update DNS in place. The other ignored fields
// only affect a host's first boot.
const comparable = (spec: KubeadmConfigSpec): unknown => {
  const { clusterConfiguration = {}, joinConfiguration, initConfiguration, format = 'cloud-config', ...rest } = spec;
  const { controlPlaneEndpoint: _endpoint, dns: _dns, ...cluster } = clusterConfiguration;
  const withoutWaits = (config: Pick<JoinConfiguration, 'timeouts' | 'nodeRegistration'> = {}) => {
    const { controlPlaneComponentHealthCheckSeconds: _, ...timeouts } = config.timeouts ?? {};
    // Older releases filled in this default.
    const nodeRegistration = { imagePullPolicy: 'IfNotPresent', ...config.nodeRegistration };
    return { ...config, nodeRegistration, timeouts };
  };
  return pruned({
    ...rest,
    format,
    clusterConfiguration: cluster,
    initConfiguration: withoutWaits(initConfiguration),
    joinConfiguration: { ...withoutWaits(joinConfiguration), discovery: undefined },
  });
};

/**
 * The join configuration of a Machine that joined. The config of the first Machine may have a
 * joinConfiguration too, with timeouts alone, and does not count.
 */
export const joinsAs = ({ joinConfiguration }: KubeadmConfigSpec): JoinConfiguration | undefined =>
  joinConfiguration?.controlPlane && joinConfiguration;

/**
 * The config of the first Machine as a joining one; fields that only a join has come from `wanted`.
 */
export const asJoin = (current: KubeadmConfigSpec, wanted: KubeadmConfigSpec): KubeadmConfigSpec => {
  const { initConfiguration = {}, ...rest } = current;
  const { nodeRegistration, patches, skipPhases, timeouts, localAPIEndpoint } = initConfiguration;
  return {
    ...rest,
    joinConfiguration: {
      caCertPath: wanted.joinConfiguration?.caCertPath,
      controlPlane: { localAPIEndpoint },
      nodeRegistration,
      patches,
      skipPhases,
      timeouts,
    } as JoinConfiguration,
  };
};

const matches = (wanted: KubeadmControlPlaneSpec, current: KubeadmConfigSpec): boolean => {
  const config = gatesAsIn(wanted, current);
  const join = joinConfig(wanted, config);
  const same = (a: KubeadmConfigSpec, b: KubeadmConfigSpec) => isDeepStrictEqual(comparable(a), comparable(b));
  if (joinsAs(current)) return same(join, current);
  return same(join, asJoin(current, join)) || same(initConfig(wanted, config), current);
};

/** Cached: every pass compares every Machine, and both sides rarely change. */
const matching = memoizeFrozen((wanted: KubeadmControlPlaneSpec) =>
  memoizeFrozen((current: KubeadmConfigSpec) => matches(wanted, current)),
);
export const matchesConfig = (wanted: KubeadmControlPlaneSpec, current: KubeadmConfigSpec): boolean =>
  matching(wanted)(current);
