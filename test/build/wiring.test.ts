import { describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { controllers } from '../../kinds/controllers.ts';
import { contractRoles } from '../../kinds/core/contract/contract-role.ts';
import { kinds } from '../../kinds/index.ts';
import { createSystem } from '../../local/system.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import type { ControllerWiring, Level, Route } from '../../machinery/api/wiring.ts';
import { createRouter } from '../../machinery/controller/dispatch.ts';
import { kindsOf } from '../../machinery/controller/kinds.ts';
import { itemKeyOf, messageOf } from '../../machinery/controller/work-item.ts';
import { levelOf } from '../../machinery/store/level.ts';
import { controllers as wiring } from '../../wiring.ts';

const wired: [string, ControllerWiring][] = Object.entries(wiring);
const kindNames = new Set(kinds.map(({ kind }) => kind));
const clusterKind = 'Cluster';

const routes: Record<Route, true> = {
  owner: true,
  dependents: true,
  cluster: true,
  members: true,
  adopters: true,
  referrers: true,
  servers: true,
  namespace: true,
  all: true,
};
const levels: Record<Level, true> = { gate: true, count: true, note: true };

describe('the wiring', () => {
  it('names exactly the existing controllers, each for its own kind', () => {
    const ofWiring = wired.map(([name, wires]) => [name, wires.for]).sort();
    expect(controllers.map((controller) => [controller.name, controller.for]).sort()).toEqual(ofWiring);
  });

  it.each(wired)('of %s names existing kinds', (_, wires) => {
    const named = wires.watches.flatMap(({ kind }) => kind ?? []);
    expect([wires.for, ...named].filter((kind) => !kindNames.has(kind))).toEqual([]);
    const roles = wires.watches.flatMap(({ role }) => role ?? []);
    // A user may bring the provider of a role that none of ours plays.
    const known = new Set([...kinds.flatMap(({ role }) => role ?? []), ...contractRoles]);
    expect(roles.filter((role) => !known.has(role))).toEqual([]);
  });

  it.each(wired)('of %s uses routes and levels that the dispatcher knows', (_, wires) => {
    for (const { to, level } of wires.watches) {
      expect(Object.keys(routes)).toContain(to);
      if (level) expect(Object.keys(levels)).toContain(level);
    }
  });

  it.each(wired)('of %s watches each kind once on each route', (_, wires) => {
    const watched = wires.watches.map(({ kind, role, to }) => `${kind ?? role} ${to}`);
    expect(watched.filter((one, index) => watched.indexOf(one) !== index)).toEqual([]);
  });

  it.each(wired)('of %s routes to the Cluster only for the Cluster controllers', (_, wires) => {
    if (wires.for !== clusterKind) expect(wires.watches.filter(({ to }) => to === 'cluster')).toEqual([]);
  });

  it.each([
    {
      rule: 'the Machine when its control plane annotates its bootstrap config, for example with a certificate expiry',
      type: 'kubeadmconfigs.bootstrap.cluster.x-k8s.io',
      owner: 'Machine',
      level: 'note' as const,
      writer: 'kubeadm-control-plane',
      notified: 'machine',
    },
    {
      rule: 'the operation starter when a cluster became Available',
      type: 'clusters.cluster.x-k8s.io',
      writer: 'cluster',
      notified: 'operation-starter',
    },
    {
      rule: 'a control plane when its endpoint changes',
      type: 'clusters.cluster.x-k8s.io',
      level: 'gate' as const,
      writer: 'cluster',
      notified: 'kubeadm-control-plane',
    },
    {
      rule: 'a MachineSet when a Machine without a controller changes its labels',
      type: 'machines.cluster.x-k8s.io',
      notified: 'machine-set',
    },
    {
      rule: 'a control plane when a Machine without a controller changes its labels',
      type: 'machines.cluster.x-k8s.io',
      notified: 'kubeadm-control-plane',
    },
    {
      rule: 'a MachineDeployment when a MachineSet without a controller changes its labels',
      type: 'machinesets.cluster.x-k8s.io',
      notified: 'machine-deployment',
    },
  ])('wakes $rule', async ({ type, owner, level, writer, notified }) => {
    const none = async () => [];
    const member = async () => [{ namespace: 'default', name: 'm' }];
    const store = { list: async () => ({ objects: [], position: 0 }), memberKeys: member, ownedKeys: none };
    const route = createRouter({ wiring, kinds: kindsOf(kinds), store: { ...store, referrerKeys: none } });
    const owners = owner ? [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: owner, name: 'm', uid: 'of-m' }] : [];
    const requests = await route({
      type,
      position: 1,
      event: 'MODIFIED',
      namespace: 'default',
      name: 'of-m',
      uid: 'its-own',
      cluster: 'c',
      owners,
      ownersBefore: owners,
      ...(level && { level }),
      ...(writer && { writer }),
    });
    expect(requests.map(({ key }) => key.controller)).toContain(notified);
  });

  it('treats an endpoint that the Cluster controller fills in as a gate', () => {
    const at = (host: string) => ({ ...example, spec: { controlPlaneEndpoint: { host, port: 6443 } } });
    const example = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: clusterKind, metadata: { name: 'c' } };
    const kind = kinds.find((one) => one.kind === clusterKind)!;
    expect(levelOf(at('a'), at('b'), kind, false)).toBe('gate');
  });

  it('assigns each finalizer of a kind to one controller', () => {
    const finalizers = controllers.flatMap(({ finalizer, for: kind }) => (finalizer ? [`${kind} ${finalizer}`] : []));
    expect(new Set(finalizers).size).toBe(finalizers.length);
  });

  it('assigns the status of each kind to one controller', () => {
    const writers = controllers.filter(({ conditions }) => conditions !== 'none').map((controller) => controller.for);
    expect(new Set(writers).size).toBe(writers.length);
  });
});

describe('the local runtime', () => {
  /** Whether it runs the passes of a controller; no work remains for an absent object. */
  const runsPassesOf = async (controller: string, of: string, apiOnly: boolean) => {
    const clock = virtualClock(Date.UTC(2026, 0, 1));
    const random = seededRandom(1);
    const work = memoryTable({ clock });
    const errors: string[] = [];
    const { worker } = createSystem({
      clock,
      random,
      keys: memoryKeys(random),
      objects: memoryTable({ clock }),
      work,
      account: memoryStorage(clock),
      network: { listen: () => undefined, close: () => undefined, reserve: () => 1 },
      log: { info: () => undefined, error: (message) => errors.push(message) },
      installation: 'here',
      token: 'a-token',
      apiOnly,
    });
    const type = resourceOf(kinds.find(({ kind }) => kind === of)!);
    const key = { controller, type, namespace: 'default', name: 'absent' };
    await work.write({ put: { ...itemKeyOf(key), want: 1, urgent: 1 } });
    await worker.receive(messageOf(key), 1);
    expect(errors).toEqual([]);
    return (await work.get(itemKeyOf(key), { consistent: true })) === undefined;
  };

  it.each(wired)('runs %s', async (name, wires) => expect(await runsPassesOf(name, wires.for, false)).toBe(true));

  it('leaves unknown controllers to others', async () => {
    expect(await runsPassesOf('of-another-release', 'Cluster', false)).toBe(false);
  });

  it.each(wired)('runs no passes of %s when it serves only the API', async (name, wires) =>
    expect(await runsPassesOf(name, wires.for, true)).toBe(false));
});

describe('the kinds', () => {
  it('have one storage version and a unique type each', () => {
    for (const kind of kinds) expect(kind.versions.filter(({ storage }) => storage).length).toBe(1);
    expect(new Set(kinds.map(resourceOf)).size).toBe(kinds.length);
  });

  it('have unique names, unless they share their storage', () => {
    const own = kinds.filter(({ storedAs }) => storedAs === undefined);
    expect(new Set(own.map(({ kind }) => kind)).size).toBe(own.length);
  });

  it('share only an existing storage', () => {
    const types = new Set(kinds.map(resourceOf));
    expect(kinds.filter(({ storedAs }) => storedAs !== undefined && !types.has(storedAs))).toEqual([]);
  });
});
