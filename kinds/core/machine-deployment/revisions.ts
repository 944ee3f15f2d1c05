/** Which MachineSet is the current one, and what a change of the template means. Pure. */
import { createHash } from 'node:crypto';
import { annotations } from '../../common/labels.ts';
import { rolloutTime } from '../../common/rollout-time.ts';
import { topologyLabels } from '../contract/topology.ts';
import type { MachineTemplate } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';
import { isSameTemplate, revisionOf, rolloutFields } from './template.ts';

/** The part of a set's template-hash label that distinguishes templates. */
export const templateHash = (template: MachineTemplate): number =>
  createHash('sha256')
    .update(JSON.stringify(rolloutFields(template)))
    .digest()
    .readUInt32BE(0);

export const createdBefore = (a: MachineSet, b: MachineSet): number => {
  const age = ({ metadata }: MachineSet) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0;
};

export interface Generations {
  current: MachineSet | undefined;
  old: MachineSet[];
}

/** The set that matches the MachineDeployment's template, and all others. `now` in milliseconds. */
export const findCurrent = (deployment: MachineDeployment, machineSets: MachineSet[], now: number): Generations => {
  const { template, rollout } = deployment.spec!;
  const candidates = machineSets
    .filter(({ spec }) => spec && isSameTemplate(spec.template, template))
    .sort((a, b) => (b.spec?.replicas ?? 0) - (a.spec?.replicas ?? 0) || createdBefore(a, b));
  const time = rollout?.after === undefined ? undefined : rolloutTime(rollout.after);
  const current =
    time !== undefined && time <= now
      ? candidates.find(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') >= time)
      : candidates[0];
  return { current, old: machineSets.filter((one) => one !== current) };
};

/** The revision of the current set: higher than all others, and never decreasing. */
export const currentRevision = ({ current, old }: Generations): number =>
  Math.max(Math.max(0, ...old.map(revisionOf)) + 1, current ? revisionOf(current) : 0);

/** Annotations of the current set: its revision and its revision history. */
export const revisionAnnotations = (generations: Generations): Record<string, string> => {
  const { current } = generations;
  const revision = currentRevision(generations);
  const before = current ? revisionOf(current) : 0;
  const history = current?.metadata.annotations?.[annotations.revisionHistory];
  return {
    [annotations.revision]: String(revision),
    ...(before > 0 && before !== revision
      ? { [annotations.revisionHistory]: [history, String(before)].filter(Boolean).join(',') }
      : history && { [annotations.revisionHistory]: history }),
  };
};

/** Annotation of a MachineDeployment: the previous template and its revision, as JSON. */
export const previousTemplate = 'capstan.dev/previous-template';
/**
 * Undefined if no old set has a template: the recorded value then stays. Null for what belongs to a
 * topology: its class has the templates, and Cluster API's specs know all annotations of it.
 */
export const previousTemplateOf = (deployment: MachineDeployment, { old }: Generations): string | null | undefined => {
  const { labels, annotations } = deployment.metadata;
  if (labels?.[topologyLabels.owned] !== undefined)
    return annotations?.[previousTemplate] === undefined ? undefined : null;
  const previous = old.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (!previous?.spec) return undefined;
  return JSON.stringify({ revision: revisionOf(previous), template: previous.spec.template });
};
