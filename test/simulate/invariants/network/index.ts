import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { IpPermission } from '../../../../kinds/ports/cloud/index.ts';
import { isEnding } from '../deletion.ts';
import type { Rule, Rules } from '../rule.ts';
import { safeDefaults } from './defaults.ts';
import { routes } from './routes.ts';
import { securityGroups } from './security-groups.ts';
import { subnets } from './subnets.ts';

const openedByHand = 22;

interface Revocation {
  GroupId: string;
  IpPermissions: IpPermission[];
}

const noLockout: Rule = ({ world }, broken) => {
  const { account, mirror } = world;
  /** Uids of AWSClusters and Clusters whose ingress rules a user changed. */
  const changed = new Set<string>();
  const infrastructureOf = ({ metadata, spec }: Cluster) =>
    mirror.get('AWSCluster', metadata.namespace ?? '', spec?.infrastructureRef?.name ?? '');
  const isStanding = (cluster: Cluster) => {
    const { namespace = '', name } = cluster.metadata;
    const { deletionTimestamp } = infrastructureOf(cluster)?.metadata ?? {};
    return !isEnding(mirror, namespace, name) && deletionTimestamp === undefined;
  };
  world.onAsked((asked) => {
    if (asked.port !== 'cloud' || asked.action !== 'RevokeSecurityGroupIngress') return;
    const { GroupId, IpPermissions } = asked.input as unknown as Revocation;
    const uid = account.list().find(({ id }) => id === GroupId)?.tags['capstan.dev/cluster-uid'];
    const cluster = mirror.all<Cluster>('Cluster').find(({ metadata }) => metadata.uid === uid);
    if (!cluster || !isStanding(cluster)) return;
    if (changed.has(uid!) || changed.has(infrastructureOf(cluster)?.metadata.uid ?? '')) return;
    const wanted = IpPermissions.find(({ FromPort }) => FromPort !== openedByHand);
    if (wanted) throw broken(`${GroupId} of ${cluster.metadata.name} revokes a wanted rule: ${JSON.stringify(wanted)}`);
  });
  return {
    onCommit: ({ object, before, writer }) => {
      if (writer || !object || !before) return;
      const networkOf = ({ spec }: Cluster) => spec?.clusterNetwork;
      const isChanged =
        (object.kind === 'AWSCluster' && !isDeepStrictEqual(object.spec, before.spec)) ||
        (object.kind === 'Cluster' && !isDeepStrictEqual(networkOf(object as Cluster), networkOf(before as Cluster)));
      if (isChanged) changed.add(object.metadata.uid!);
    },
  };
};

export const networkRules: Rules = {
  'ingress that the spec wants is never revoked': noLockout,
  'routes, images and instances are as the cluster needs them': routes,
  'CIDR blocks, subnets and gateways match the spec': subnets,
  'volumes, metadata access and DNS of a VPC are set up': safeDefaults,
  'security groups allow what the spec says and nothing else': securityGroups,
};
