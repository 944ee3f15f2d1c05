/** `capstan plan upgrade` reports what the first step of an upgrade finds in the same cluster. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kubeadmControlPlanes } from '../../controlplane-kubeadm/kubeadm-control-plane/provider.ts';
import type { Machine } from '../../core/machine/index.ts';
import { absent, clusterStateOf, found, operationOf } from '../cluster-operation/operation.fixture.ts';
import { rolloutsOf } from '../shared/rollouts.ts';
import { type OperationScope, scopeOf } from '../shared/scope.ts';
import { findingsOf, ofObjects } from '../upgrade-check/checks/categories.ts';
import { allChecks } from '../upgrade-check/checks/checks.ts';
import type { UpgradeFacts } from '../upgrade-check/checks/facts.ts';
import { type Case, cases, condition, facts, machine, now, planes } from '../upgrade-check/checks/findings.fixture.ts';
import { planUpgrade } from '../upgrade-check/checks/plan.ts';
import { textOf } from '../upgrade-check/checks/versions.ts';
import { findingsOfPreflight } from './preflight.ts';

const isMember = ({ metadata }: Machine): boolean => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined;

/** With a member that tells what the control plane runs, once its spec asks for something else. */
const factsOf = ({ of, target }: Case): UpgradeFacts => {
  const given = facts(of, target);
  if (given.machines.some(isMember) || !given.current) return given;
  const available = { conditions: [condition('Ready', 'True'), condition('Available', 'True')] };
  return { ...given, machines: [...given.machines, machine('member', planes, available, textOf(given.current))] };
};

/** The spec asks for the version, and the Machine controller has noticed. */
const begun = (of: UpgradeFacts): UpgradeFacts => {
  const { controlPlane, machines, target } = of;
  const version = textOf(target);
  const noticed = (one: Machine): Machine =>
    one.spec?.version === version
      ? one
      : {
          ...one,
          status: { ...one.status, conditions: [...(one.status?.conditions ?? []), condition('UpToDate', 'False')] },
        };
  return {
    ...of,
    isRequested: true,
    controlPlane: controlPlane && { ...controlPlane, spec: { ...(controlPlane.spec as object), version } },
    machines: machines.map((one) => (isMember(one) ? noticed(one) : one)),
  };
};

const scopeIn = ({
  cluster,
  controlPlane,
  machineDeployments,
  machines,
  objects,
  infrastructure,
  kubeadmTemplates = [],
}: UpgradeFacts): OperationScope => {
  const named = [...(controlPlane ? [controlPlane] : []), ...machineDeployments];
  const operation = operationOf(undefined, {
    metadata: { name: 'demo-upgrade-1' },
    spec: {
      type: 'upgrade',
      objects: (objects ?? named.map(({ kind, metadata: { name } }) => ({ kind, name }))).map((one) => ({
        ...one,
        revision: 'r',
      })),
    },
  });
  const clusterState = clusterStateOf(cluster, {
    controlPlane: controlPlane ? found(controlPlane) : absent,
    infrastructure: absent,
    machineDeployments: [...machineDeployments],
    machines: [...machines],
    kubeadmTemplates: [...kubeadmTemplates],
    rollouts: rolloutsOf({
      controlPlane,
      machineDeployments,
      machineSets: [],
      machines,
      controlPlanes: [kubeadmControlPlanes],
      now,
    }),
  });
  const random = { suffix: () => 'x', pick: <T>([first]: readonly T[]) => first!, token: () => 't' };
  return scopeOf(operation, operation.spec!, { clusterState, preflight: infrastructure }, { now, random });
};

const refusedByPreflight = (given: Case): string[] => {
  const at = begun(factsOf(given));
  const inCluster = findingsOf(at, allChecks).filter(
    ({ category }) => category !== 'Infrastructure' && !ofObjects.some((one) => one === category),
  );
  const infrastructure = at.infrastructure?.findings ?? [];
  const findings = findingsOfPreflight(scopeIn(at), at.target, inCluster).filter(({ level }) => level === 'Refuse');
  return [...new Set([...findings, ...infrastructure].map(({ code }) => code))].toSorted();
};
const refusedByPlan = (given: Case): string[] => {
  const findings = planUpgrade(factsOf(given)).findings.filter(({ level }) => level === 'Refuse');
  return [...new Set(findings.map(({ code }) => code))].toSorted();
};

it.each(cases)('the plan reports what the first step refuses: $rule', (given) =>
  expect(refusedByPlan(given)).toEqual(expect.arrayContaining(refusedByPreflight(given))));

/** Of other steps, and of Preflight's own waiting. */
const elsewhere = /^(AddOn|Rollback|ClusterNotChecked)/;

it('shows a situation for every code that a check has', () => {
  const folder = join(import.meta.dirname, '../upgrade-check/checks');
  const sources = globSync('*.ts', { cwd: folder }).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const codes = sources.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:code: |refuse\(\s*|finding\(\s*)'([A-Z]\w+)'/g)].map(
      ([, code]) => code!,
    ),
  );
  const shown = cases.flatMap((given) => given.codes.map((text) => text.split(' ')[1]!));
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => !shown.includes(code) && !elsewhere.test(code))).toEqual([]);
});
