/** What stays of an upgrade that is cancelled, and what that forbids. Pure. */

import { conditionOf } from '../../../machinery/api/conditions.ts';
import { compareVersions, isSameMinor, type KubernetesVersion, parseVersion } from '../../common/kubernetes-version.ts';
import { labels } from '../../common/labels.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { Left } from '../shared/facts.ts';
import { upgradeAnnotations } from './annotations.ts';

const isUpToDate = ({ status }: Machine): string | undefined => conditionOf(status?.conditions, 'UpToDate')?.status;
const isOld = (machine: Machine): boolean => isUpToDate(machine) === 'False';
const versionOf = ({ spec }: Machine): KubernetesVersion | undefined => parseVersion(spec?.version ?? '');

const isNewSince =
  (started: string) =>
  (machine: Machine): boolean =>
    isUpToDate(machine) === 'True' && (machine.metadata.creationTimestamp ?? '') >= started;

const isLowerMinor = (one: Machine, other: Machine): boolean => {
  const [a, b] = [versionOf(one), versionOf(other)];
  return a !== undefined && b !== undefined && !isSameMinor(a, b) && compareVersions(a, b) < 0;
};

/** One sentence for the control plane and for each pool; none if everything goes back. */
export const leftByUpgrade: Left = (operation, cluster, machines) => {
  const { started } = operation.status ?? {};
  if (started === undefined) return [];
  const isMember = ({ metadata }: Machine) => metadata.labels?.[labels.controlPlane] !== undefined;
  const members = machines.filter(isMember);
  const [joined] = members.filter(isNewSince(started)).filter(({ status }) => status?.nodeRef !== undefined);
  const isGuarded = cluster.metadata.annotations?.[upgradeAnnotations.rollback] === 'Guarded';
  if (!joined || (isGuarded && members.some(isOld))) return [];
  const count = members.filter(isNewSince(started)).length;
  const pools = Map.groupBy(
    machines.filter((machine) => !isMember(machine) && isOld(machine) && isLowerMinor(machine, joined)),
    ({ metadata }) => metadata.labels?.[labels.deployment],
  );
  return [
    `${count} of ${members.length} control-plane Machines are new and stay: the control plane only goes forward`,
    ...[...pools].flatMap(([pool, [machine]]) =>
      pool === undefined || !machine
        ? []
        : [
            `MachineDeployment ${pool} stays at ${machine.spec?.version}, and can neither grow nor replace Machines until its version is ${joined.spec?.version}`,
          ],
    ),
  ];
};
