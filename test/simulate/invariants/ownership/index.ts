import type { Installation } from '../../../../kinds/capstan/installation/index.ts';
import { isMutating } from '../../../../kinds/ports/cloud/index.ts';
import { isMoved } from '../deletion.ts';
import type { Rule, Rules } from '../rule.ts';
import { creation } from './creation.ts';
import { tags } from './tags.ts';
import { unmanaged } from './unmanaged.ts';

/** Resources that are deleted with their instance. */
const goesWithInstance = /^(volume|network-interface)$/;

const movedIsUntouched: Rule = ({ world, has }, broken) => {
  const { account } = world;
  const uids = new Set<string>();
  // A frozen worker completes outdated decisions.
  const isStrict = !has('worker.frozen') && !has('worker.late');
  world.onAsked((asked) => {
    if (uids.size === 0 || !isStrict || asked.port !== 'cloud' || !isMutating(asked.action)) return;
    const text = JSON.stringify(asked.input);
    for (const { id, type, tags } of account.list())
      if (uids.has(tags['capstan.dev/cluster-uid'] ?? '') && text.includes(`"${id}"`) && !goesWithInstance.test(type))
        throw broken(`${asked.action} of ${type} ${id} of a Cluster that was moved`);
  });
  return {
    onCommit: ({ event, uid, before }) => {
      if (event === 'DELETED' && before?.kind === 'Cluster' && isMoved(before)) uids.add(uid);
    },
  };
};

/**
 * An object may just have been created or deleted. A little less than documented, because clocks
 * differ.
 */
const grace = 4 * 60_000;
const owning = new Set(['clusters.cluster.x-k8s.io', 'awsmachines.infrastructure.cluster.x-k8s.io']);

const orphanReports: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  const living = new Set(['Cluster', 'AWSMachine'].flatMap((kind) => mirror.all(kind)).map((one) => one.metadata.uid));
  const gone = new Map<string, number>();
  const expectLost = (id: string, uid: string) => {
    if (living.has(uid)) throw broken(`${id} is reported as an orphan although its owner ${uid} exists`);
    const absent = clock.now() - (gone.get(uid) ?? Number.NEGATIVE_INFINITY);
    if (absent < grace)
      throw broken(`${id} is reported as an orphan ${Math.round(absent / 1000)} s after its owner ${uid} was deleted`);
  };
  return {
    onCommit: ({ type, event, uid, object, before }) => {
      if (owning.has(type) && event === 'ADDED') living.add(uid);
      if (owning.has(type) && event === 'DELETED') {
        living.delete(uid);
        gone.set(uid, clock.now());
      }
      if (object?.kind !== 'Installation') return;
      const known = new Set((before as Installation | undefined)?.status?.orphans?.map(({ id }) => id));
      for (const { id, clusterUid, machineUid } of (object as Installation).status?.orphans ?? [])
        if (!known.has(id)) expectLost(id, machineUid ?? clusterUid ?? '');
    },
  };
};

const staleResourcesAreReported: Rule = ({ staleResources }, broken) => ({
  atEnd: () => {
    const unreported = staleResources?.unreported() ?? [];
    if (unreported.length > 0) throw broken(`the Installation does not report ${unreported.join(', ')}`);
  },
});

export const ownershipRules: Rules = {
  'resources of a moved Cluster are left alone': movedIsUntouched,
  'an orphan is reported only when its owner has been gone for a while': orphanReports,
  'resources that a stale worker created are reported': staleResourcesAreReported,
  'resources carry the tags that are asked for now': tags,
  'a creation carries ownership tags and follows a finalizer': creation,
  'unmanaged resources are never changed': unmanaged,
};
