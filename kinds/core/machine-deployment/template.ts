/**
 * Which template changes replace Machines, and which revision of the template a MachineSet or
 * MachineDeployment has. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { digestOf } from '../../common/digest.ts';
import { annotations } from '../../common/labels.ts';
import type { MachineTemplate } from '../machine/schema.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { MachineDeployment } from './schema.ts';

/** The fields whose change replaces Machines; all other fields propagate in place. */
export const rolloutFields = ({ spec }: MachineTemplate) => ({
  version: spec.version,
  failureDomain: spec.failureDomain,
  bootstrap: spec.bootstrap,
  infrastructureRef: spec.infrastructureRef,
});
export const isSameTemplate = (a: MachineTemplate, b: MachineTemplate): boolean =>
  isDeepStrictEqual(rolloutFields(a), rolloutFields(b));

/**
 * Differences that replace a Machine, in the form of condition messages; empty if there are none.
 */
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

export const revisionOf = ({ metadata }: KubeObject): number =>
  Number.parseInt(metadata.annotations?.[annotations.revision] ?? '0', 10) || 0;

/** The revision of the spec whose rollout an upgrade admits; see contract/rollout.ts. */
export const rolloutRevision = ({ spec }: MachineDeployment): string =>
  digestOf(spec ? [{ ...rolloutFields(spec.template) }, spec.rollout?.after ?? null] : null);

/** What decides whether Machines of a MachineSet or MachineDeployment are up to date. */
export const wantedOf = (object: KubeObject): JsonValue => {
  const { spec } = object as MachineSet | MachineDeployment;
  const after = spec && 'rollout' in spec ? spec.rollout?.after : undefined;
  return [revisionOf(object), after ?? null, spec ? { ...rolloutFields(spec.template) } : null];
};
