import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { eventually } from '../eventually.ts';
import { isGoing, isPaused, isTrue } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { clock } from './clock.ts';
import { completion } from './completion.ts';
import { policy } from './policy.ts';
import { preflight } from './preflight.ts';
import { proof } from './proof.ts';
import { protectedParts } from './protection.ts';
import { namesExit, provenBefore } from './restores.ts';
import { steps } from './steps.ts';
import { begunOnce, limitsNothing } from './upgrades.ts';

const notes = {
  operation: 'capstan.dev/operation',
  target: 'capstan.dev/target',
  available: 'capstan.dev/was-available',
};

const cancelledStops: Rule = (setting, broken) => {
  const { mirror } = setting.world;
  return eventually(setting, broken, function* () {
    for (const { metadata, spec, status } of mirror.all<ClusterOperation>('ClusterOperation')) {
      if (spec?.type !== 'create' || !spec.cancel || status?.phase !== 'Cancelled') continue;
      const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec.clusterName);
      const { annotations = {}, uid } = cluster?.metadata ?? {};
      const isIts = metadata.ownerReferences?.some((owner) => owner.uid === uid);
      if (!cluster || !isIts || isGoing(cluster) || isPaused(mirror, cluster)) continue;
      // A cancelled operation leaves an Available cluster as it is, and another operation may drive
      // the cluster.
      if (annotations[notes.available] !== undefined || annotations[notes.operation] !== metadata.name) continue;
      const is = annotations[notes.target] === 'Build';
      yield {
        what: `whether ${spec.clusterName}, whose creation is cancelled, is still being built`,
        is,
        should: false,
      };
    }
  });
};

/** Phases in which a workflow drives the operation under a deadline. */
const driven = new Set(['Pending', 'Running']);

/**
 * Steps of an upgrade say why they were skipped, preflight warns, a restore says when it could not save
 * the present state, and a create says what an Available cluster lacks.
 */
const mayExplain = (type: string | undefined, message: string): boolean =>
  ((type === 'upgrade' || type === 'restore') && !message.startsWith('waiting')) ||
  (type === 'create' && message.startsWith('not awaited: '));

const stepsAgree: Rule = (_, broken) => {
  const expectSo = ({ metadata, spec, status }: ClusterOperation) => {
    const fail = (what: string) => {
      throw broken(`${metadata.name} is ${phase}, but ${what}`);
    };
    const { phase = 'Pending', deadline, ended, steps = [] } = status ?? {};
    if (deadline !== undefined && !driven.has(phase)) fail(`has until ${deadline}`);
    for (const { name, verdict, message, ended: end } of steps) {
      if (verdict === 'Succeeded' && message !== undefined && !mayExplain(spec?.type, message))
        fail(`${name}, which has succeeded, has message ${message}`);
      if ((verdict === 'Running') === (end !== undefined)) fail(`${name} is ${verdict} with end time ${end}`);
      if (verdict === 'Running' && ended !== undefined) fail(`${name} goes on`);
    }
  };
  return {
    onCommit: ({ object }) => {
      if (object?.kind === 'ClusterOperation') expectSo(object as ClusterOperation);
    },
  };
};

const targetOf = (cluster: Cluster | undefined) => cluster?.metadata.annotations?.['capstan.dev/target'];

const teardown: Rule = ({ world }, broken) => {
  /** Uids of Clusters that were ever Available. */
  const available = new Set<string>();
  const note = (cluster: Cluster) => {
    if (isTrue(cluster, 'Available')) available.add(cluster.metadata.uid!);
  };
  for (const cluster of world.mirror.all<Cluster>('Cluster')) note(cluster);
  /** Whether a user cancelled the operation, or it must not be torn down. */
  const isExcused = ({ metadata: { namespace = '', annotations = {} } }: Cluster): boolean => {
    const name = annotations['capstan.dev/operation'] ?? '';
    const operation = world.mirror.get<ClusterOperation>('ClusterOperation', namespace, name);
    const { metadata, spec } = operation ?? {};
    return !spec || spec.cancel === true || spec.adopted === true || metadata?.deletionTimestamp !== undefined;
  };
  return {
    onCommit: ({ object, before }) => {
      if (object?.kind !== 'Cluster') return;
      const cluster = object as Cluster;
      const { name, uid = '', annotations = {}, deletionTimestamp } = cluster.metadata;
      const target = targetOf(cluster);
      // TearDown is the default.
      const policy = annotations['capstan.dev/on-create-failure'] ?? 'TearDown';
      if (!deletionTimestamp && target !== targetOf(before as Cluster | undefined)) {
        if (target === 'Nothing' && available.has(uid))
          throw broken(`${name}, is torn down, although it was Available`);
        if (target === 'Nothing' && policy !== 'TearDown') throw broken(`${name} is torn down with policy ${policy}`);
        // A cluster is put on hold whenever its workflow cannot continue.
        if (target === 'Hold' && policy !== 'Hold' && !isExcused(cluster) && !available.has(uid) && !world.isHeldUp)
          throw broken(`${name} is on hold with policy ${policy}`);
      }
      note(cluster);
    },
  };
};

export const operationsRules: Rules = {
  'a cancelled creation builds nothing more': cancelledStops,
  'the steps of an operation agree with its phase': stepsAgree,
  'a cluster is torn down or held only as its policy says': teardown,
  'every operation ends, and ended operations are pruned': completion,
  'nothing is created before preflight has passed': preflight,
  'a step succeeds when what it waits for is so': steps,
  'what a deletion reports gone is gone': proof,
  'an operation follows the policy annotations of its Cluster': policy,
  'an upgrade that failed begins anew only after a change or when asked': begunOnce,
  'an upgrade that has succeeded limits nothing': limitsNothing,
  'a restore stops members only once its file is proven and the present is saved': provenBefore,
  'an operation that waits for its user names a way on': namesExit,
  'no part of a protected cluster is deleted': protectedParts,
  'an operation keeps its clock, which stops while its cluster is paused': clock,
};
