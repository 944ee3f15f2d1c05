/** Which MachineSet is the current one, and what a change of the template means. Pure. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { annotations } from '../common/labels.ts';
import type { MachineTemplate } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';

/** The fields whose change replaces machines; everything else follows in place. */
const rolloutFields = ({ spec }: MachineTemplate) => ({
  version: spec.version,
  failureDomain: spec.failureDomain,
  bootstrap: spec.bootstrap,
  infrastructureRef: spec.infrastructureRef,
});
export const isSameTemplate = (a: MachineTemplate, b: MachineTemplate): boolean =>
  isDeepStrictEqual(rolloutFields(a), rolloutFields(b));

/** Differences that replace a machine, as conditions print them; empty when there are none. */
export const templateDifferences = (current: MachineTemplate, desired: MachineTemplate): string[] => {
  const [have, want] = [rolloutFields(current), rolloutFields(desired)];
  const { bootstrap } = want;
  return [
    ...(have.version === want.version ? [] : [`Version ${have.version ?? ''}, ${want.version ?? ''} required`]),
    ...(have.failureDomain === want.failureDomain
      ? []
      : [`Failure domain ${have.failureDomain ?? ''}, ${want.failureDomain ?? ''} required`]),
    ...(isDeepStrictEqual(have.bootstrap, bootstrap)
      ? []
      : bootstrap.configRef && isDeepStrictEqual(have.bootstrap.dataSecretName, bootstrap.dataSecretName)
        ? [`${bootstrap.configRef.kind} is not up-to-date`]
        : [
            `spec.bootstrap.dataSecretName ${have.bootstrap.dataSecretName ?? ''}, ${bootstrap.dataSecretName ?? ''} required`,
          ]),
    ...(isDeepStrictEqual(have.infrastructureRef, want.infrastructureRef)
      ? []
      : [`${want.infrastructureRef.kind} is not up-to-date`]),
  ];
};

/** The part of a set's unique label that tells templates apart. */
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

/** The set whose template is the deployment's, and all others. `now` in milliseconds. */
export const findCurrent = (deployment: MachineDeployment, machineSets: MachineSet[], now: number): Generations => {
  const { template, rollout } = deployment.spec!;
  const candidates = machineSets
    .filter(({ spec }) => spec && isSameTemplate(spec.template, template))
    .sort((a, b) => (b.spec?.replicas ?? 0) - (a.spec?.replicas ?? 0) || createdBefore(a, b));
  const after = rollout?.after;
  const expired = after !== undefined && Date.parse(after) <= now;
  const current = expired
    ? candidates.find(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') >= Date.parse(after))
    : candidates[0];
  return { current, old: machineSets.filter((one) => one !== current) };
};

export const revisionOf = ({ metadata }: MachineSet): number =>
  Number.parseInt(metadata.annotations?.[annotations.revision] ?? '0', 10) || 0;

/** The revision of the current set: above all others, and never less than before. */
export const currentRevision = ({ current, old }: Generations): number =>
  Math.max(Math.max(0, ...old.map(revisionOf)) + 1, current ? revisionOf(current) : 0);

/** Annotations of the current set: its revision, and those it had before. */
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

/** Annotation of a MachineDeployment: the template that was the current one before, and its revision, as JSON. */
export const previousTemplate = 'capstan.dev/previous-template';
/** Undefined when there is none among the old sets; what was recorded before then stays. */
export const previousTemplateOf = ({ old }: Generations): string | undefined => {
  const previous = old.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  if (!previous?.spec) return undefined;
  return JSON.stringify({ revision: revisionOf(previous), template: previous.spec.template });
};
