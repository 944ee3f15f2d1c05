/**
 * A control plane of which only the contract's fields are known: what its provider does not add is
 * answered from them. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { type GroupKind, groupKindOf, isSameKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { digestOf } from '../../common/digest.ts';
import type { ControlPlaneMachine, ControlPlaneProvider, ControlPlaneQueries } from './control-plane.ts';

const wantedVersionOf = ({ spec }: KubeObject): string | undefined =>
  (spec as { version?: string } | undefined)?.version;

const behind = 'Version ';

/**
 * Machines of another version than the control plane's are out of date. Its own controller may report
 * other differences, which stay.
 */
const upToDate = ({ machine, controlPlane }: ControlPlaneMachine): ConditionDraft[] => {
  const type = 'UpToDate';
  const [has, wanted] = [machine.spec?.version, wantedVersionOf(controlPlane)];
  if (wanted === undefined || has === undefined) return [];
  if (has !== wanted)
    return [{ type, status: 'False', reason: 'NotUpToDate', message: `${behind}${has}, ${wanted} required` }];
  const before = conditionOf(machine.status?.conditions, type);
  if (before?.status === 'False' && !before.message?.startsWith(behind)) return [];
  return [{ type, status: 'True', reason: 'UpToDate', message: '' }];
};

const plain: Omit<ControlPlaneQueries, keyof GroupKind> = {
  machineConditions: upToDate,
  rolloutRevision: (controlPlane) => digestOf(wantedVersionOf(controlPlane) ?? null),
  followsTargets: false,
  managesEtcd: () => false,
  fileSecrets: () => [],
  addOnTags: () => ({}),
  outOfDateTimes: () => [],
};

/** Of this object's kind, whether or not a provider of that kind is known. */
export const controlPlaneQueries = (
  controlPlane: Pick<KubeObject, 'apiVersion' | 'kind'>,
  providers: readonly ControlPlaneProvider[],
): ControlPlaneQueries => {
  const kind = groupKindOf(controlPlane);
  return { ...plain, ...kind, ...providers.find((provider) => isSameKind(provider, kind)) };
};
