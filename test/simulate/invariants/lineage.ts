/** Who takes a rollout back goes by revisions: a set keeps all that it had, and its deployment the template before this one. */
import type { MachineSet } from '../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { controlled, revision } from './whose.ts';

const rule = 'lineage';
const history = 'machinedeployment.clusters.x-k8s.io/revision-history';
const previous = 'capstan.dev/previous-template';
const note = (object: KubeObject | undefined, name: string) => object?.metadata.annotations?.[name];
const revisionOf = (object: KubeObject) => Number(note(object, revision) ?? 0);

export const lineage = ({ world: { mirror }, has }: Setting): Invariant => {
  /** What a set was before it was the newest again is added to what it had been before that. */
  const expectHistory = (set: KubeObject, before: KubeObject) => {
    if (note(set, revision) === note(before, revision)) return;
    const all = [note(before, history), note(before, revision)].filter(Boolean).join(',');
    if ((note(set, history) ?? '') !== all)
      throw new Violation(rule, `${set.metadata.name} was of ${all}, and says ${note(set, history)}`);
  };
  const expectPrevious = (deployment: KubeObject) => {
    const noted = JSON.parse(note(deployment, previous)!) as { revision: number; template: object };
    const sets = controlled<MachineSet>(mirror, 'MachineSet', deployment);
    const newest = revisionOf(deployment);
    const last = Math.max(0, ...sets.map(revisionOf).filter((one) => one < newest));
    const { name } = deployment.metadata;
    if (noted.revision < last)
      throw new Violation(rule, `${name} remembers revision ${noted.revision}, and ${last} came before ${newest}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (writer !== 'machine-deployment' || !object || !before || object.metadata.uid !== before.metadata.uid) return;
      if (object.kind === 'MachineSet') expectHistory(object, before);
      // Who stood still goes by the sets of before.
      if (has('worker.frozen') || has('worker.late') || object.kind !== 'MachineDeployment') return;
      const isNews = [revision, previous].some((name) => note(object, name) !== note(before, name));
      if (isNews && note(object, previous) !== undefined) expectPrevious(object);
    },
  };
};
