/** Who may reach a machine is not shut out for a while: rules of security groups go only when nobody wants them. */
import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { IpPermission } from '../../../kinds/ports/cloud.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { isEnding } from './leaving.ts';

const rule = 'reachable';
const openedByHand = 22;

interface Revocation {
  GroupId: string;
  IpPermissions: IpPermission[];
}

export const reachable = ({ world }: Setting): Invariant => {
  const { account, mirror } = world;
  /** Uids of those of which somebody has changed who may reach what. */
  const changed = new Set<string>();
  const infrastructureOf = ({ metadata, spec }: Cluster) =>
    mirror.get('AWSCluster', metadata.namespace ?? '', spec?.infrastructureRef?.name ?? '');
  const isStanding = (cluster: Cluster) => {
    const { namespace = '', name } = cluster.metadata;
    const { deletionTimestamp } = infrastructureOf(cluster)?.metadata ?? {};
    return !isEnding(mirror, namespace, name) && deletionTimestamp === undefined;
  };
  world.onAsked((asked) => {
    if (asked.door !== 'cloud' || asked.action !== 'RevokeSecurityGroupIngress') return;
    const { GroupId, IpPermissions } = asked.input as unknown as Revocation;
    const uid = account.list().find(({ id }) => id === GroupId)?.tags['capstan.dev/cluster-uid'];
    const cluster = mirror.all<Cluster>('Cluster').find(({ metadata }) => metadata.uid === uid);
    if (!cluster || !isStanding(cluster)) return;
    if (changed.has(uid!) || changed.has(infrastructureOf(cluster)?.metadata.uid ?? '')) return;
    const wanted = IpPermissions.find(({ FromPort }) => FromPort !== openedByHand);
    if (wanted) throw new Violation(rule, `${GroupId} of ${cluster.metadata.name} shuts out ${JSON.stringify(wanted)}`);
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
