/** Whether a machine's KubeadmConfig is what the control plane would write today. */
import { isDeepStrictEqual } from 'node:util';
import { whileHeld } from '../../../machinery/api/lately.ts';
import type { JoinConfiguration, KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { gatesAsIn, initConfig, joinConfig } from './desired-config.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Without what is empty; an empty list of taints stays, because it means something else than none given. */
const pruned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([field, child]) => [field, pruned(child)] as const)
    .filter(([field, child]) => !isEmpty(child) || (field === 'taints' && child !== undefined));
  return Object.fromEntries(entries);
};

// Discovery is filled in for each machine, DNS is kept up to date without replacing machines, and the others are
// settings of one boot that have no effect on a machine that is already there.
const comparable = (spec: KubeadmConfigSpec): unknown => {
  const { clusterConfiguration = {}, joinConfiguration, initConfiguration, format = 'cloud-config', ...rest } = spec;
  const { controlPlaneEndpoint: _endpoint, dns: _dns, ...cluster } = clusterConfiguration;
  const withoutWaits = (config: Pick<JoinConfiguration, 'timeouts' | 'nodeRegistration'> = {}) => {
    const { controlPlaneComponentHealthCheckSeconds: _, ...timeouts } = config.timeouts ?? {};
    // Older versions filled in what is so anyway.
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

/** Of a machine that joined: waits for joining alone may stand beside how another one initialised. */
export const joinsAs = ({ joinConfiguration }: KubeadmConfigSpec): JoinConfiguration | undefined =>
  joinConfiguration?.controlPlane && joinConfiguration;

/** The config of an initialising machine as if it had joined; what only joining knows is taken from `wanted`. */
const asJoin = (current: KubeadmConfigSpec, wanted: KubeadmConfigSpec): KubeadmConfigSpec => {
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

/** Every pass asks of every machine, and neither side changes often. */
const matching = whileHeld((wanted: KubeadmControlPlaneSpec) =>
  whileHeld((current: KubeadmConfigSpec) => matches(wanted, current)),
);
export const matchesConfig = (wanted: KubeadmControlPlaneSpec, current: KubeadmConfigSpec): boolean =>
  matching(wanted)(current);
