import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { AWSCluster } from '../../infrastructure-aws/aws-cluster/index.ts';
import { isBegun, ownerOf } from '../../infrastructure-aws/aws-cluster/owner.ts';
import { machineUidTag } from '../../infrastructure-aws/aws-machine/request.ts';
import { strandedSecrets } from '../../infrastructure-aws/aws-machine/stranded.ts';
import { clusterUidTag, installationTag } from '../../infrastructure-aws/engine/tags.ts';
import { askInstallation } from '../../ports/index.ts';
import type { InstallationReads, TaggedResource } from '../../ports/installation.ts';
import type { Installation } from './index.ts';
import type { Known } from './orphans.ts';
import type { Moved } from './schema.ts';

export interface Observed {
  installation: Installation;
  state: Read<InstallationReads['State'][1]>;
  /** Undefined while one of the lists is unread. */
  known: Known | undefined;
  /**
   * Whether objects exist that create resources and whose deletion wakes this controller. A Cluster
   * does neither.
   */
  isTended: boolean;
  /** Clusters of other installations that were moved here and not taken over. */
  moved: MovedCluster[];
  /** The regions to search; empty if no object exists and no resource was ever created. */
  regions: Region[];
}

export interface MovedCluster extends Moved {
  /** Its AWSCluster exists. */
  isHere: boolean;
  /** Searched for once the AWSCluster is gone. */
  resources?: Read<TaggedResource[]>;
}

export interface Region {
  region: string;
  resources: Read<TaggedResource[]>;
  /** The one-shot secrets among them whose machines are definitely gone. */
  stranded: TaggedResource[];
}

const isSecret = ({ type }: TaggedResource): boolean => type === 'secret' || type === 'parameter';

/** The former owner in the tags of a VPC, while nothing was created for the AWSCluster here. */
const movedWith = (awsCluster: AWSCluster, id: string): Moved | undefined => {
  const { region = '', network } = awsCluster.spec ?? {};
  const { [installationTag]: installation, [clusterUidTag]: clusterUid } = network?.vpc?.tags ?? {};
  if (isBegun(awsCluster) || !installation || !clusterUid || !region || installation === id) return undefined;
  return { clusterUid, installation, region };
};

const observeMoved = (
  { status }: Installation,
  awsClusters: readonly AWSCluster[],
  id: string,
  read: Reader,
): MovedCluster[] => {
  const here = awsClusters.flatMap((one) => movedWith(one, id) ?? []);
  const taken = awsClusters.flatMap((one) => ownerOf(one, id)?.namedAfter?.clusterUid ?? []);
  const gone = (status?.moved ?? []).filter(
    ({ clusterUid }) => !taken.includes(clusterUid) && !here.some((one) => one.clusterUid === clusterUid),
  );
  return [
    ...here.map((one) => ({ ...one, isHere: true })),
    ...gone.map((one) => {
      const tags = { [installationTag]: one.installation, [clusterUidTag]: one.clusterUid };
      const answer = askInstallation(read, 'Resources', { region: one.region, tags });
      const resources = answer.state === 'found' ? { ...answer, value: answer.value.resources } : answer;
      return { ...one, isHere: false, resources };
    }),
  ];
};

const uidsOf = (objects: readonly KubeObject[]): string[] =>
  objects.flatMap(({ metadata: { uid } }) => (uid === undefined ? [] : [uid]));

export const observe = (installation: Installation, read: Reader, { installation: id }: Context): Observed => {
  const state = askInstallation(read, 'State', {});
  const clusters = found(read.list('Cluster', {}));
  const awsClusters = found(read.list('AWSCluster', {}));
  const awsMachines = found(read.list('AWSMachine', {}));
  if (state.state !== 'found' || !clusters || !awsClusters || !awsMachines)
    return { installation, state, known: undefined, isTended: false, moved: [], regions: [] };
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
    moved: observeMoved(installation, awsClusters, id, read),
    isTended: awsClusters.length + awsMachines.length > 0,
    regions: [...new Set(named)].sort().map((region) => {
      const answer = askInstallation(read, 'Resources', { region, tags: { [installationTag]: id } });
      const orphaned = (found(answer)?.resources ?? []).filter(({ tags }) => !machines.has(tags[machineUidTag] ?? ''));
      return {
        region,
        resources: answer.state === 'found' ? { state: 'found', value: answer.value.resources } : answer,
        stranded: strandedSecrets(orphaned.filter(isSecret), read),
      };
    }),
  };
};
