/** A machine that was just made takes nothing back: nobody misses what it says of itself until it has had the time to say it. */
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { clusterName, verdictOf } from './whose.ts';

const settling = 10_000;
const controlPlane = 'cluster.x-k8s.io/control-plane';
/** By what says so of machines: the condition, and which machines it is about. */
const summaries: Record<string, Record<string, (labels: Record<string, string>, name: string) => boolean>> = {
  Cluster: {
    ControlPlaneMachinesUpToDate: (labels, name) => labels[clusterName] === name && controlPlane in labels,
    WorkerMachinesUpToDate: (labels, name) => labels[clusterName] === name && !(controlPlane in labels),
  },
  KubeadmControlPlane: { MachinesUpToDate: (labels, name) => labels['cluster.x-k8s.io/control-plane-name'] === name },
  MachineDeployment: { MachinesUpToDate: (labels, name) => labels['cluster.x-k8s.io/deployment-name'] === name },
  MachineSet: { MachinesUpToDate: (labels, name) => labels['cluster.x-k8s.io/set-name'] === name },
};

export const steady = ({ world: { clock, mirror }, has }: Setting): Invariant => {
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
      throw new Violation('steady', `${type} of ${object.kind} ${name} is Unknown, for ${names} has just been made`);
    }
  };
  return {
    onCommit: ({ object, before }) => {
      // Who stood still, or whose clock is wrong, goes by what was, or will be.
      if (!object || has('worker.frozen') || has('worker.late') || has('clock.skewed')) return;
      if (object.metadata.uid === before?.metadata.uid) expectSteady(object, before!);
    },
  };
};
