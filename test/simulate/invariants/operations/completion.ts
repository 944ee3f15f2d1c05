import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { isTrue } from '../relations.ts';
import type { Rule } from '../rule.ts';

/** Ended operations of a Cluster, and for how many milliseconds they are kept. */
const most = 200;
const keptFor = 90 * 24 * 3_600_000;
const endings = new Set(['Succeeded', 'TornDown', 'Cancelled']);

export const completion: Rule = ({ world }, broken) => {
  const { mirror } = world;
  /** Uids of Clusters that were ever Available. */
  const available = new Set<string>();
  /**
   * Uids of Clusters whose deletion must be proven. A Cluster deleted before its first pass is none
   * of them.
   */
  const awaiting = new Set<string>();
  const note = (cluster: Cluster) => {
    if (isTrue(cluster, 'Available')) available.add(cluster.metadata.uid!);
    if (cluster.metadata.finalizers?.includes('capstan.dev/operations')) awaiting.add(cluster.metadata.uid!);
  };
  for (const cluster of mirror.all<Cluster>('Cluster')) note(cluster);
  /**
   * Uids of Clusters whose deletion was proven. Recorded at once, because an orphaned operation
   * loses its owner reference.
   */
  const proven = new Set<string>();
  const noteProof = ({ metadata, spec, status }: ClusterOperation) => {
    if (spec?.type === 'delete' && status?.phase === 'Succeeded')
      for (const { uid } of metadata.ownerReferences ?? []) proven.add(uid);
  };
  for (const operation of mirror.all<ClusterOperation>('ClusterOperation')) noteProof(operation);
  const expectHeld = ({ metadata, spec, status }: ClusterOperation) => {
    if (spec?.type !== 'create' || !spec.cancel || status?.phase !== 'Cancelled') return;
    const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec.clusterName ?? '');
    const { uid = '', annotations = {}, deletionTimestamp } = cluster?.metadata ?? {};
    // Another operation may have replaced it.
    if (!cluster || deletionTimestamp || available.has(uid)) return;
    if (annotations['capstan.dev/operation'] !== metadata.name) return;
    if (annotations['capstan.dev/target'] !== 'Hold')
      throw broken(`${metadata.name} was cancelled by a user, but its cluster is not on hold`);
  };
  const expectProven = ({ metadata: { name, namespace, uid } }: Cluster) => {
    // A namespace deletion does not wait for a proof.
    if (mirror.get('Namespace', '', namespace!)?.metadata.deletionTimestamp) return;
    if (awaiting.has(uid!) && !proven.has(uid!)) throw broken(`Cluster ${name} is gone without a proven deletion`);
  };
  /** By the starter. */
  const expectPastItsTime = ({ metadata: { name, namespace }, spec, status }: ClusterOperation) => {
    const all = mirror
      .all<ClusterOperation>('ClusterOperation')
      .filter((one) => one.metadata.namespace === namespace && one.spec?.clusterName === spec?.clusterName);
    const age = world.clock.now() - Date.parse(status?.ended ?? '');
    if (all.length <= most && !(age > keptFor)) throw broken(`the record of ${name} is deleted before its time`);
  };
  return {
    onCommit: ({ event, object, before, writer }) => {
      if (object?.kind === 'Cluster') note(object as Cluster);
      if (writer === 'operation-starter' && object?.kind === 'ClusterOperation') {
        const isDeleted = event === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
        if (isDeleted && !before?.metadata.deletionTimestamp) expectPastItsTime(object as ClusterOperation);
      }
      if (event === 'DELETED' && before?.kind === 'Cluster' && writer) expectProven(before as Cluster);
      if (object?.kind !== 'ClusterOperation') return;
      noteProof(object as ClusterOperation);
      const { metadata, status } = object as ClusterOperation;
      const { phase, ended } = status ?? {};
      if (!endings.has(phase ?? '')) return;
      if (ended === undefined) throw broken(`${metadata.name} is ${phase} without an end time`);
      const was = (before as ClusterOperation | undefined)?.status;
      if (endings.has(was?.phase ?? '') && (was?.phase !== phase || was?.ended !== ended))
        throw broken(`${metadata.name} left its final phase ${was?.phase} for ${phase} with end time ${ended}`);
      if (!endings.has(was?.phase ?? '')) expectHeld(object as ClusterOperation);
    },
    atEnd: async () => {
      // Operations without an owner are never deleted by time: a user orphaned them.
      const over = mirror
        .all<ClusterOperation>('ClusterOperation')
        .filter(({ status, metadata }) => endings.has(status?.phase ?? '') && !metadata.deletionTimestamp)
        .filter(({ metadata }) => metadata.ownerReferences?.length);
      // The Cluster refers to one more.
      for (const [name, all] of Map.groupBy(over, ({ spec }) => spec?.clusterName))
        if (all.length > most + 1) throw broken(`${all.length} ended operations of ${name} are kept`);
      for (const { metadata, spec, status } of mirror.all<ClusterOperation>('ClusterOperation')) {
        const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec?.clusterName ?? '');
        const isNamed = cluster?.metadata.annotations?.['capstan.dev/operation'] === metadata.name;
        if (spec?.type === 'create' && status?.phase === 'Held' && isNamed && available.has(cluster.metadata.uid!))
          throw broken(`${metadata.name} is on hold although its cluster is Available`);
      }
      const open = mirror
        .all<ClusterOperation>('ClusterOperation')
        .filter(({ status }) => ['Pending', 'Running', 'Paused'].includes(status?.phase ?? ''));
      const running = (await world.executions.list()).filter(({ status }) => status === 'RUNNING');
      if (open.length > 0)
        throw broken(open.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).join(', '));
      if (running.length > 0) throw broken(running.map(({ name, state }) => `${name} in ${state}`).join(', '));
    },
  };
};
