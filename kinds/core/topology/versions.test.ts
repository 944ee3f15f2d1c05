import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import type { MachinePool } from '../machine-pool/schema.ts';
import type { State } from './state.ts';
import { plannedByExtension, type Span, spanOf, upgradePlanOf } from './upgrade-plan.ts';
import type { Topology } from './variables.ts';
import { decideVersions, type Settings } from './versions.ts';

const object = { metadata: { name: 'x' } } as KubeObject;
type Workers = Record<string, { version: string; isUpgrading?: boolean }>;
interface Given {
  to: string;
  controlPlane?: { version: string; isProvisioning?: boolean; isUpgrading?: boolean };
  workers?: Workers;
  pools?: Workers;
  /** In the order of the topology; by default those that exist. */
  names?: readonly string[];
  annotations?: Record<string, string>;
  listed?: readonly string[];
  settings?: Partial<Settings>;
}

const workersIn = <T extends KubeObject>(workers: Workers) =>
  new Map(
    Object.entries(workers).map(([name, one]) => [
      name,
      { object: object as T, running: [], isUpgrading: false, isSettled: true, ...one },
    ]),
  );

const stateOf = ({ controlPlane, workers = {}, pools = {} }: Given): State => ({
  infrastructure: undefined,
  controlPlane: controlPlane && {
    object,
    template: 't',
    isProvisioning: false,
    isUpgrading: false,
    isSettled: true,
    ...controlPlane,
  },
  deployments: workersIn<MachineDeployment>(workers),
  pools: workersIn<MachinePool>(pools),
  surplus: [],
});
const annotation = (key: string | undefined) => ({
  ...(key && { metadata: { annotations: { [`topology.cluster.x-k8s.io/${key}`]: '' } } }),
});
const topologyOf = ({ to, workers = {}, pools, names = Object.keys(workers), annotations = {} }: Given): Topology => {
  const listed = (of: readonly string[]) => of.map((name) => ({ class: 'w', name, ...annotation(annotations[name]) }));
  return {
    classRef: { name: 'c' },
    version: to,
    workers: { machineDeployments: listed(names), ...(pools && { machinePools: listed(Object.keys(pools)) }) },
  };
};

const decide = (given: Given) => {
  const [topology, state] = [topologyOf(given), stateOf(given)];
  const plan = upgradePlanOf(spanOf(topology, state), given.listed);
  const settings = { concurrency: 1, isOperated: false, ...given.settings };
  const { controlPlane, deployments, pools } = decideVersions(topology, state, plan, settings);
  return {
    controlPlane: `${controlPlane.version} ${controlPlane.stage}`,
    ...Object.fromEntries(
      [...deployments, ...pools].map(([name, { version, stage }]) => [name, `${version} ${stage}`]),
    ),
  };
};

const [old, next] = ['v1.34.2', 'v1.35.1'];

describe('versions', () => {
  it.each<{ rule: string; given: Given; decides: Record<string, string> }>([
    {
      rule: 'a new cluster begins at its version',
      given: { to: next, names: ['a'] },
      decides: { controlPlane: `${next} current`, a: `${next} current` },
    },
    {
      rule: 'the control plane goes first',
      given: { to: next, controlPlane: { version: old }, workers: { a: { version: old } } },
      decides: { controlPlane: `${next} starting`, a: `${old} pending` },
    },
    {
      rule: 'workers wait while it upgrades',
      given: { to: next, controlPlane: { version: next, isUpgrading: true }, workers: { a: { version: old } } },
      decides: { controlPlane: `${next} upgrading`, a: `${old} pending` },
    },
    {
      rule: 'then workers follow one by one',
      given: { to: next, controlPlane: { version: next }, workers: { a: { version: old }, b: { version: old } } },
      decides: { controlPlane: `${next} current`, a: `${next} starting`, b: `${old} pending` },
    },
    {
      rule: 'the next waits for the one that upgrades',
      given: {
        to: next,
        controlPlane: { version: next },
        workers: { a: { version: next, isUpgrading: true }, b: { version: old } },
      },
      decides: { controlPlane: `${next} current`, a: `${next} current`, b: `${old} pending` },
    },
    {
      rule: 'as many at once as the annotation admits',
      given: {
        to: next,
        controlPlane: { version: next },
        workers: { a: { version: old }, b: { version: old }, c: { version: old } },
        settings: { concurrency: 2 },
      },
      decides: { controlPlane: `${next} current`, a: `${next} starting`, b: `${next} starting`, c: `${old} pending` },
    },
    {
      rule: 'all of one step together where operations order them',
      given: {
        to: next,
        controlPlane: { version: old },
        workers: { a: { version: old }, b: { version: old } },
        settings: { isOperated: true },
      },
      decides: { controlPlane: `${next} starting`, a: `${next} starting`, b: `${next} starting` },
    },
    {
      rule: 'MachinePools follow the control plane, one by one beside MachineDeployments',
      given: {
        to: next,
        controlPlane: { version: next },
        workers: { a: { version: old } },
        pools: { p: { version: old }, q: { version: old } },
      },
      decides: { controlPlane: `${next} current`, a: `${next} starting`, p: `${next} starting`, q: `${old} pending` },
    },
    {
      rule: 'MachinePools wait for the control plane where operations order the rest',
      given: {
        to: next,
        controlPlane: { version: old },
        workers: { a: { version: old } },
        pools: { p: { version: old } },
        settings: { isOperated: true },
      },
      decides: { controlPlane: `${next} starting`, a: `${next} starting`, p: `${old} pending` },
    },
    {
      rule: 'the control plane waits for a MachinePool that upgrades',
      given: {
        to: 'v1.36.0',
        controlPlane: { version: next },
        pools: { p: { version: next, isUpgrading: true } },
      },
      decides: { controlPlane: `${next} pending`, p: `${next} upgrading` },
    },
    {
      rule: 'deferred workers keep their version',
      given: {
        to: next,
        controlPlane: { version: next },
        workers: { a: { version: old }, b: { version: old } },
        annotations: { a: 'defer-upgrade' },
      },
      decides: { controlPlane: `${next} current`, a: `${old} deferred`, b: `${next} starting` },
    },
    {
      rule: 'a held sequence keeps all that follow',
      given: {
        to: next,
        controlPlane: { version: next },
        workers: { a: { version: old }, b: { version: old }, c: { version: old } },
        annotations: { b: 'hold-upgrade-sequence' },
      },
      decides: { controlPlane: `${next} current`, a: `${next} starting`, b: `${old} deferred`, c: `${old} deferred` },
    },
    {
      rule: 'a control plane that is not up yet keeps its version',
      given: { to: next, controlPlane: { version: old, isProvisioning: true } },
      decides: { controlPlane: `${old} pending` },
    },
    {
      rule: 'workers are not created while the control plane upgrades',
      given: { to: next, controlPlane: { version: next, isUpgrading: true }, names: ['a'] },
      decides: { controlPlane: `${next} upgrading`, a: `${next} postponed` },
    },
    {
      rule: 'the control plane waits for workers that upgrade',
      given: { to: 'v1.35.2', controlPlane: { version: next }, workers: { a: { version: next, isUpgrading: true } } },
      decides: { controlPlane: `${next} pending`, a: `${next} upgrading` },
    },
    {
      rule: 'an upgrade over several minors goes by the newest listed version of each',
      given: {
        to: 'v1.36.0',
        controlPlane: { version: 'v1.33.0' },
        workers: { a: { version: 'v1.33.0' } },
        listed: ['v1.33.0', 'v1.34.0', 'v1.34.5', 'v1.35.1', 'v1.36.0'],
      },
      decides: { controlPlane: 'v1.34.5 starting', a: 'v1.33.0 pending' },
    },
  ])('$rule', ({ given, decides }) => expect(decide(given)).toEqual(decides));

  it.each<{ rule: string; from: string; to: string; listed: string[]; controlPlane: string[]; workers: string[] }>([
    {
      rule: 'workers skip what kubelets may lag',
      from: 'v1.32.0',
      to: 'v1.35.0',
      listed: ['v1.32.0', 'v1.33.0', 'v1.34.0', 'v1.35.0'],
      controlPlane: ['v1.33.0', 'v1.34.0', 'v1.35.0'],
      workers: ['v1.35.0'],
    },
    {
      rule: 'workers stop where the next step would be too far',
      from: 'v1.31.0',
      to: 'v1.36.0',
      listed: ['v1.31.0', 'v1.32.0', 'v1.33.0', 'v1.34.0', 'v1.35.0', 'v1.36.0'],
      controlPlane: ['v1.32.0', 'v1.33.0', 'v1.34.0', 'v1.35.0', 'v1.36.0'],
      workers: ['v1.34.0', 'v1.36.0'],
    },
  ])('$rule', ({ from, to, listed, controlPlane, workers }) => {
    const given: Given = { to, controlPlane: { version: from }, workers: { a: { version: from } } };
    expect(upgradePlanOf(spanOf(topologyOf(given), stateOf(given)), listed)).toEqual({ controlPlane, workers });
  });
});

describe('the plan of an extension', () => {
  const steps = (...versions: string[]) => versions.map((version) => ({ version }));
  const span: Span = { controlPlane: 'v1.31.0', workers: 'v1.31.0', to: 'v1.35.0' };
  const all = steps('v1.32.1', 'v1.33.0', 'v1.34.0', 'v1.35.0');
  it.each<{ rule: string; of?: Partial<Span>; answer: object; is: object }>([
    {
      rule: 'names the versions of the control plane, and workers take as few as they may',
      answer: { controlPlaneUpgrades: all },
      is: { controlPlane: ['v1.32.1', 'v1.33.0', 'v1.34.0', 'v1.35.0'], workers: ['v1.34.0', 'v1.35.0'] },
    },
    {
      rule: 'may name those of the workers, and several patches of one minor',
      of: { controlPlane: 'v1.34.0', workers: 'v1.34.0', to: 'v1.35.0' },
      answer: { controlPlaneUpgrades: steps('v1.34.5', 'v1.35.0'), workersUpgrades: steps('v1.34.5', 'v1.35.0') },
      is: { controlPlane: ['v1.34.5', 'v1.35.0'], workers: ['v1.34.5', 'v1.35.0'] },
    },
    {
      rule: 'covers workers that are behind their control plane',
      of: { controlPlane: 'v1.35.0', workers: 'v1.34.0' },
      answer: {},
      is: { controlPlane: [], workers: ['v1.35.0'] },
    },
    {
      rule: 'must end with the version of the topology',
      answer: { controlPlaneUpgrades: steps('v1.32.0') },
      is: { fault: 'invalid ControlPlane upgrade plan: must end with version v1.35.0, ends with v1.32.0 instead' },
    },
    {
      rule: 'must not skip a minor version',
      answer: { controlPlaneUpgrades: steps('v1.33.0', 'v1.35.0') },
      is: {
        fault:
          'invalid ControlPlane upgrade plan: item 0; expecting a version with minor 31 or 32, found version v1.33.0',
      },
    },
    {
      rule: 'must not go back',
      answer: { controlPlaneUpgrades: steps('v1.30.0') },
      is: { fault: 'invalid ControlPlane upgrade plan: item 0; version v1.30.0 must be greater than v1.31.0' },
    },
    {
      rule: 'gives workers no version that the control plane never has',
      answer: { controlPlaneUpgrades: all, workersUpgrades: steps('v1.32.9', 'v1.35.0') },
      is: { fault: expect.stringContaining("versions v1.32.9 doesn't match any versions") },
    },
    {
      rule: 'keeps workers within the skew of kubelets',
      answer: { controlPlaneUpgrades: all, workersUpgrades: steps('v1.35.0') },
      is: { fault: expect.stringContaining('an intermediate step is required') },
    },
    {
      rule: 'has nothing for workers that there are not',
      of: { workers: undefined },
      answer: { controlPlaneUpgrades: all, workersUpgrades: steps('v1.35.0') },
      is: { fault: expect.stringContaining('there are no workers') },
    },
    { rule: 'is made of versions', answer: { controlPlaneUpgrades: ['v1.32.0'] }, is: { fault: expect.any(String) } },
    {
      rule: 'is made of versions that are some',
      answer: { controlPlaneUpgrades: steps('new') },
      is: { fault: 'invalid ControlPlane upgrade plan: item 0; failed to parse version new' },
    },
  ])('$rule', ({ of, answer, is }) => expect(plannedByExtension({ ...span, ...of }, answer as never)).toEqual(is));
});
