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
/** Of the statuses of several kinds. */
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

/** How each verdict that is no success is told. */
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
const untold = new Set(['Pending', 'Running']);

/** Reasons of the Events that tell of what came to be so. */
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
    now.phase !== before.phase && !untold.has(now.phase ?? 'Pending') && now.phase,
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
  /** By uid, of all that there is or was. */
  const places = new Map<string, string>();
  const note = ({ kind, metadata }: KubeObject) => places.set(metadata.uid ?? '', placeOf({ kind, ...metadata }));
  for (const object of mirror.everything()) note(object);
  /** Of these it was told before what they came to; Events end within the hour. */
  const known = new Set(places.keys());
  /** Uids with reasons. */
  const told = new Set<string>();
  /** Uids with reasons and messages. */
  const said = new Map<string, string[]>();
  const fail = (what: string) => {
    throw broken(what);
  };
  const onEvent = ({ metadata, reason, message, involvedObject, source }: EventObject, writer: string) => {
    const place = places.get(involvedObject.uid ?? '');
    if (place !== placeOf(involvedObject))
      fail(`${metadata.name} is about ${placeOf(involvedObject)} (${involvedObject.uid}), which is ${place ?? 'not'}`);
    if (source?.component !== writer) fail(`${metadata.name} of ${writer} says that it is of ${source?.component}`);
    const subject = `${involvedObject.uid} ${reason}`;
    told.add(subject);
    said.set(subject, [...(said.get(subject) ?? []), message ?? '']);
  };
  const isGoing = (name: string) => mirror.get('Namespace', '', name)?.metadata.deletionTimestamp !== undefined;
  const onTurning = (object: KubeObject, reason: string) => {
    const { namespace = 'default', uid } = object.metadata;
    const isOfOld = known.has(uid ?? '') && /Machine$/.test(object.kind);
    if (isOfOld || told.has(`${uid} ${reason}`) || isGoing(namespace)) return;
    clock.after(moment, () => {
      if (told.has(`${uid} ${reason}`) || world.isDisturbed || isGoing(namespace)) return;
      const what = `${object.kind} ${object.metadata.name} is told of by no Event ${reason}`;
      mirror.breaks(broken(what));
    });
  };
  /** By what would tell of them: how many were told of by name, and who was not. */
  const members = new Map<string, { told: number; untold: string[] }>();
  /**
   * Whoever stays tells of the Machines and sets of them that it makes or deletes, by name. What a pass did before it met a conflict
   * is told by nobody, which is not so of most.
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
      const known = members.get(by) ?? { told: 0, untold: [] };
      members.set(by, known);
      if (said.get(`${owner.uid} ${reason}`)?.some((message) => message.includes(name))) known.told++;
      else known.untold.push(`${kind} ${name}`);
      if (known.untold.length < 2 || known.told > known.untold.length) return;
      mirror.breaks(broken(`no Event ${reason} of a ${owner.kind} tells of ${known.untold.join(' and ')}`));
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
