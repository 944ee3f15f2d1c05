/** Refuses unsupported fields: the cluster would cost money and never come up, or come up without the feature. */
import { found } from '../../../machinery/api/reconcile.ts';
import { ipv6BlockFaults, ipv6Faults } from '../aws-cluster/ipv6.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

export const judgeUnserved = (facts: PreflightFacts): Finding[] => [
  ...judgeIpv6(facts),
  ...facts.machines.flatMap(judgeConfig),
  ...facts.machines.flatMap(judgeMachine),
];

const judgeIpv6 = ({ cluster, awsCluster, given }: PreflightFacts): Finding[] => {
  const object = found(awsCluster);
  if (!object) return [];
  return [
    ...ipv6BlockFaults(cluster, given).map(({ path, reason }) => refused(`${nameOf(cluster)} ${path}: ${reason}`)),
    ...ipv6Faults(given).map(({ path, reason }) => refused(`${nameOf(object)} ${path}: ${reason}`)),
  ];
};

const judgeConfig = ({ config }: PlannedMachines): Finding[] => {
  const spec = config && found(config.spec);
  if (!spec) return [];
  const at = `${config.at.object} ${config.at.path}`;
  return [
    ...(spec.format === 'ignition'
      ? [refused(`${at}.format: Ignition is not supported: use cloud-config, and images that boot with cloud-init`)]
      : []),
    ...(spec.clusterConfiguration?.etcd?.external
      ? [refused(`${at}.clusterConfiguration.etcd.external: external etcd is not supported: leave the field out`)]
      : []),
  ];
};

const judgeMachine = ({ spec, at }: PlannedMachines): Finding[] =>
  found(spec)?.ignition
    ? [refused(`${at.object} ${at.path}.ignition: Ignition is not supported: leave the field out`)]
    : [];
