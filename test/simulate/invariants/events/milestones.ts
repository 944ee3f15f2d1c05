import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Rule } from '../rule.ts';

const moment = 60_000;

interface EventObject extends KubeObject {
  reason: string;
  message?: string;
  involvedObject: { kind?: string; namespace?: string; name?: string; uid?: string };
  source?: { component?: string };
}
interface Step {
  name: string;
  started?: string;
  verdict?: string;
}
/** The status fields of several kinds that Events report. */
interface Status {
  phase?: string;
  ready?: boolean;
  nodeRef?: object;
  steps?: Step[];
  initialization?: { infrastructureProvisioned?: boolean; controlPlaneInitialized?: boolean };
  orphans?: object[];
  frozen?: { id: string };
}
const statusOf = (object: KubeObject | undefined): Status => (object?.status ?? {}) as Status;

/** The Event reason for each verdict other than success. */
const verdicts: Readonly<Record<string, string>> = {
  Refused: 'StepRefused',
  Failed: 'StepFailed',
  DeadlineExceeded: 'DeadlineExceeded',
  Cancelled: 'StepCancelled',
};
const ofSteps = (now: readonly Step[] = [], before: readonly Step[] = []): string[] =>
  now
    .filter(({ name, started, verdict }) => {
      const known = before.find((one) => one.name === name && one.started === started);
      return verdict !== known?.verdict;
    })
    .flatMap(({ verdict = '' }) => verdicts[verdict] ?? []);
const withoutEvent = new Set(['Pending', 'Running', 'Paused']);

/** By kind: the Event reasons that a change of status requires. */
const turnings: Readonly<Record<string, (now: Status, before: Status) => (string | false | undefined)[]>> = {
  Cluster: (now, before) => [
    now.phase !== before.phase && now.phase,
    now.initialization?.infrastructureProvisioned &&
      !before.initialization?.infrastructureProvisioned &&
      'InfrastructureReady',
    now.initialization?.controlPlaneInitialized &&
      !before.initialization?.controlPlaneInitialized &&
      'ControlPlaneInitialized',
  ],
  Machine: (now, before) => [now.nodeRef && !before.nodeRef && 'SuccessfulSetNodeRef'],
  AWSMachine: (now, before) => [now.ready && !before.ready && 'SuccessfulCreate'],
  ClusterOperation: (now, before) => [
    now.phase !== before.phase && !withoutEvent.has(now.phase ?? 'Pending') && now.phase,
    ...ofSteps(now.steps, before.steps),
  ],
  Installation: (now, before) => [
    now.frozen && now.frozen.id !== before.frozen?.id && 'Frozen',
    Boolean(now.orphans?.length) && !isDeepStrictEqual(now.orphans, before.orphans) && 'OrphansFound',
    Boolean(before.orphans?.length) && !now.orphans?.length && 'NoOrphans',
  ],
};

export const milestones: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  const placeOf = ({ kind = '', namespace = '', name = '' }: { kind?: string; namespace?: string; name?: string }) =>
    `${kind} ${namespace}/${name}`;
  /** The place of each object that exists or existed, by uid. */
  const places = new Map<string, string>();
  const note = ({ kind, metadata }: KubeObject) => places.set(metadata.uid ?? '', placeOf({ kind, ...metadata }));
  for (const object of mirror.everything()) note(object);
  /** Objects of the initial state. Their Events may have expired. */
  const known = new Set(places.keys());
  /** Uids with reasons. */
  const reported = new Set<string>();
  /** Uids with reasons and messages. */
  const messages = new Map<string, string[]>();
  const fail = (what: string) => {
    throw broken(what);
  };
  const onEvent = ({ metadata, reason, message, involvedObject, source }: EventObject, writer: string) => {
    const place = places.get(involvedObject.uid ?? '');
    if (place !== placeOf(involvedObject))
      fail(
        `${metadata.name} is about ${placeOf(involvedObject)} (${involvedObject.uid}), whose uid belongs to ${place ?? 'no object'}`,
      );
    if (source?.component !== writer) fail(`${metadata.name} by ${writer} names the source ${source?.component}`);
    const subject = `${involvedObject.uid} ${reason}`;
    reported.add(subject);
    messages.set(subject, [...(messages.get(subject) ?? []), message ?? '']);
  };
  const isGoing = (name: string) => mirror.get('Namespace', '', name)?.metadata.deletionTimestamp !== undefined;
  const onTurning = (object: KubeObject, reason: string) => {
    const { namespace = 'default', uid } = object.metadata;
    const isOfOld = known.has(uid ?? '') && /Machine$/.test(object.kind);
    if (isOfOld || reported.has(`${uid} ${reason}`) || isGoing(namespace)) return;
    clock.after(moment, () => {
      if (reported.has(`${uid} ${reason}`) || world.isDisturbed || isGoing(namespace)) return;
      const what = `${object.kind} ${object.metadata.name} has no Event ${reason}`;
      mirror.breaks(broken(what));
    });
  };
  /** By owner kind and reason: how many members Events named, and which members none named. */
  const members = new Map<string, { named: number; unnamed: string[] }>();
  /**
   * An owner that is not being deleted names each Machine or MachineSet that it creates or deletes
   * in an Event. A pass that ends in a conflict loses its Events, so single omissions are allowed.
   */
  const onMember = (
    { kind, metadata: { name, namespace = 'default', ownerReferences = [] } }: KubeObject,
    reason: string,
  ) => {
    const owner = ownerReferences.find(({ controller }) => controller);
    const maker = owner && mirror.get(owner.kind, namespace, owner.name)?.metadata;
    if (!owner || maker?.uid !== owner.uid || maker.deletionTimestamp) return;
    clock.after(moment, () => {
      if (world.isDisturbed || isGoing(namespace)) return;
      const by = `${owner.kind} ${reason}`;
      const known = members.get(by) ?? { named: 0, unnamed: [] };
      members.set(by, known);
      if (messages.get(`${owner.uid} ${reason}`)?.some((message) => message.includes(name))) known.named++;
      else known.unnamed.push(`${kind} ${name}`);
      if (known.unnamed.length < 2 || known.named > known.unnamed.length) return;
      mirror.breaks(broken(`no Event ${reason} of a ${owner.kind} names ${known.unnamed.join(' and ')}`));
    });
  };
  const makers = new Set(['machine-set', 'machine-deployment']);
  return {
    onCommit: ({ type, event, object, before, writer }) => {
      if (!object) return;
      if (type === 'events') {
        if (writer) onEvent(object as EventObject, writer);
        return;
      }
      note(object);
      if (!writer || world.isDisturbed) return;
      if (makers.has(writer) && /^Machine(Set)?$/.test(object.kind)) {
        if (event === 'ADDED') onMember(object, 'SuccessfulCreate');
        else if (object.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp)
          onMember(object, 'SuccessfulDelete');
      }
      if (object.status === before?.status) return;
      const [now, was] = [
        statusOf(object),
        statusOf(before?.metadata.uid === object.metadata.uid ? before : undefined),
      ];
      for (const reason of turnings[object.kind]?.(now, was) ?? []) if (reason) onTurning(object, reason);
    },
  };
};
