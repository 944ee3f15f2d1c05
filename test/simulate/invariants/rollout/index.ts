import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { takenOver } from '../grace.ts';
import { clusterName, controlled, revision, verdictOf } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { deletionOrder } from './deletion-order.ts';
import { inPlace } from './in-place.ts';
import { inPlaceFinal } from './in-place-final.ts';
import { limits } from './limits.ts';
import { surge } from './surge.ts';

const templatesExist: Rule = ({ world, has }, broken) => {
  const { clock, mirror } = world;
  /** When each template was deleted. */
  const gone = new Map<string, number>();
  return {
    onCommit: ({ event, object, before, namespace, name, writer }) => {
      const kind = (object ?? before)?.kind ?? '';
      if (event === 'DELETED' && kind.endsWith('Template')) gone.set(`${kind} ${namespace}/${name}`, clock.now());
      if (event !== 'ADDED' || kind !== 'MachineSet' || writer !== 'machine-deployment') return;
      const { bootstrap, infrastructureRef } = (object as MachineSet).spec?.template.spec ?? {};
      for (const reference of [bootstrap?.configRef, infrastructureRef]) {
        if (!reference || mirror.get(reference.kind, namespace, reference.name)) continue;
        const since = gone.get(`${reference.kind} ${namespace}/${reference.name}`) ?? Number.NEGATIVE_INFINITY;
        if (clock.now() - since > takenOver(has))
          throw broken(`${name} is created although ${reference.kind} ${reference.name} does not exist`);
      }
    },
  };
};

const history = 'machinedeployment.clusters.x-k8s.io/revision-history';
const previous = 'capstan.dev/previous-template';
const note = (object: KubeObject | undefined, name: string) => object?.metadata.annotations?.[name];
const revisionOf = (object: KubeObject) => Number(note(object, revision) ?? 0);

const revisionHistory: Rule = ({ world: { mirror }, has }, broken) => {
  /** A set that gets a new revision appends its old revision to its history. */
  const expectHistory = (set: KubeObject, before: KubeObject) => {
    if (note(set, revision) === note(before, revision)) return;
    const all = [note(before, history), note(before, revision)].filter(Boolean).join(',');
    if ((note(set, history) ?? '') !== all)
      throw broken(`${set.metadata.name} had revisions ${all}, but its history is ${note(set, history)}`);
  };
  const expectPrevious = (deployment: KubeObject) => {
    const noted = JSON.parse(note(deployment, previous)!) as { revision: number; template: object };
    const sets = controlled<MachineSet>(mirror, 'MachineSet', deployment);
    const newest = revisionOf(deployment);
    const last = Math.max(0, ...sets.map(revisionOf).filter((one) => one < newest));
    const { name } = deployment.metadata;
    if (noted.revision < last)
      throw broken(`${name} records revision ${noted.revision} as previous to ${newest}, not ${last}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (writer !== 'machine-deployment' || !object || !before || object.metadata.uid !== before.metadata.uid) return;
      if (object.kind === 'MachineSet') expectHistory(object, before);
      // A frozen worker acts on outdated sets.
      if (has('worker.frozen') || has('worker.late') || object.kind !== 'MachineDeployment') return;
      const isNews = [revision, previous].some((name) => note(object, name) !== note(before, name));
      if (isNews && note(object, previous) !== undefined) expectPrevious(object);
    },
  };
};

const settling = 10_000;
const controlPlane = 'cluster.x-k8s.io/control-plane';
/** By kind and condition: the Machines that the condition summarizes. */
const summaries: Record<string, Record<string, (labels: Record<string, string>, name: string) => boolean>> = {
  Cluster: {
    ControlPlaneMachinesUpToDate: (labels, name) => labels[clusterName] === name && controlPlane in labels,
    WorkerMachinesUpToDate: (labels, name) => labels[clusterName] === name && !(controlPlane in labels),
  },
  KubeadmControlPlane: { MachinesUpToDate: (labels, name) => labels['cluster.x-k8s.io/control-plane-name'] === name },
  MachineDeployment: { MachinesUpToDate: (labels, name) => labels['cluster.x-k8s.io/deployment-name'] === name },
  MachineSet: { MachinesUpToDate: (labels, name) => labels['cluster.x-k8s.io/set-name'] === name },
};

const upToDateIsStable: Rule = ({ world: { clock, mirror }, has }, broken) => {
  const isNew = (machine: Machine) =>
    verdictOf(machine, 'UpToDate') === undefined &&
    clock.now() - Date.parse(machine.metadata.creationTimestamp!) <= settling;
  const expectSteady = (object: KubeObject, before: KubeObject) => {
    const { name, namespace } = object.metadata;
    for (const [type, isAbout] of Object.entries(summaries[object.kind] ?? {})) {
      if (verdictOf(before, type) !== 'True' || verdictOf(object, type) !== 'Unknown') continue;
      const silent = mirror
        .all<Machine>('Machine')
        .filter(({ metadata }) => metadata.namespace === namespace && isAbout(metadata.labels ?? {}, name))
        .filter((machine) => verdictOf(machine, 'UpToDate') !== 'True');
      if (silent.length === 0 || !silent.every(isNew)) continue;
      const names = silent.map(({ metadata }) => metadata.name).join(', ');
      throw broken(`${type} of ${object.kind} ${name} is Unknown because of the new ${names}`);
    }
  };
  return {
    onCommit: ({ object, before }) => {
      // A frozen worker or a skewed clock makes a worker act on another point in time.
      if (!object || has('worker.frozen') || has('worker.late') || has('clock.skewed')) return;
      if (object.metadata.uid === before?.metadata.uid) expectSteady(object, before!);
    },
  };
};

export const rolloutRules: Rules = {
  'a MachineSet is created only when its templates exist': templatesExist,
  'revision history and the previous template are kept': revisionHistory,
  'a new machine does not reset a summary of UpToDate': upToDateIsStable,
  'a rollout stays within maxSurge and maxUnavailable': limits,
  'an owner never has more machines than replicas plus surge': surge,
  'scaling down deletes unhealthy machines first, then by the deletion order': deletionOrder,
  'in-place changes of a template propagate within minutes': inPlace,
  'in-place changes of a template are everywhere in the end': inPlaceFinal,
};
