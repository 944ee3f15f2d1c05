import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { ownerOf } from '../../infrastructure-aws/aws-cluster/owner.ts';
import { installationTag } from '../../infrastructure-aws/aws-cluster/tags.ts';
import { machineUidTag } from '../../infrastructure-aws/aws-machine/request.ts';
import { strandedSecrets } from '../../infrastructure-aws/aws-machine/stranded.ts';
import { askInstallation } from '../../ports/index.ts';
import type { InstallationReads, TaggedResource } from '../../ports/installation.ts';
import type { Installation } from './index.ts';
import type { Known } from './orphans.ts';

export interface Snapshot {
  installation: Installation;
  state: Read<InstallationReads['State'][1]>;
  /** Undefined while one of the lists is unread. */
  known: Known | undefined;
  /**
   * Whether objects exist that create resources and whose deletion wakes this controller. A Cluster
   * does neither.
   */
  isTended: boolean;
  /** The regions to search; empty if no object exists and no resource was ever created. */
  regions: Region[];
}

export interface Region {
  region: string;
  resources: Read<TaggedResource[]>;
  /** The one-shot secrets among them whose machines are definitely gone. */
  late: TaggedResource[];
}

const isSecret = ({ type }: TaggedResource): boolean => type === 'secret' || type === 'parameter';

const uidsOf = (objects: readonly KubeObject[]): string[] =>
  objects.flatMap(({ metadata: { uid } }) => (uid === undefined ? [] : [uid]));

export const observe = (installation: Installation, read: Reader, { installation: id }: Context): Snapshot => {
  const state = askInstallation(read, 'State', {});
  const clusters = found(read.list('Cluster', {}));
  const awsClusters = found(read.list('AWSCluster', {}));
  const awsMachines = found(read.list('AWSMachine', {}));
  if (state.state !== 'found' || !clusters || !awsClusters || !awsMachines)
    return { installation, state, known: undefined, isTended: false, regions: [] };
  const named = [
    ...(installation.status?.regions ?? []),
    ...state.value.regions,
    ...awsClusters.flatMap(({ spec }) => (spec?.region ? [spec.region] : [])),
  ];
  // Resources carry the uid noted on their AWSCluster, even after `clusterctl move`.
  const owners = awsClusters.flatMap((one) => ownerOf(one, id)?.clusterUid ?? []);
  const machines = new Set(uidsOf(awsMachines));
  return {
    installation,
    state,
    known: { clusters: new Set([...uidsOf(clusters), ...owners]), machines },
    isTended: awsClusters.length + awsMachines.length > 0,
    regions: [...new Set(named)].sort().map((region) => {
      const answer = askInstallation(read, 'Resources', { region, tags: { [installationTag]: id } });
      const strays = (found(answer)?.resources ?? []).filter(({ tags }) => !machines.has(tags[machineUidTag] ?? ''));
      return {
        region,
        resources: answer.state === 'found' ? { state: 'found', value: answer.value.resources } : answer,
        late: strandedSecrets(strays.filter(isSecret), read),
      };
    }),
  };
};
