import { describe, expect, it } from 'vitest';
import type { Restoring } from '../../core/contract/restore.ts';
import {
  a,
  b,
  type ControlPlaneState,
  c,
  context,
  controlPlaneOf,
  does,
  type MachineState,
  three,
} from './control-plane.fixture.ts';
import type { ControlPlane } from './control-plane.ts';
import { annotations } from './names.ts';
import { reconcile } from './reconcile.ts';
import { deleteOldNodes, noteRevision } from './restore.ts';
import { scale } from './scale.ts';

const restoring = (step: Restoring['step']): Restoring => ({
  operation: 'c-restore-1',
  uid: 'restore-uid',
  step,
  location: 'here/cluster/a.db',
  checksum: 'sha256:ab',
  hosts: ['aws:///zone/i-old'],
});
const own = (machine: MachineState): MachineState => ({
  ...machine,
  annotations: { ...machine.annotations, 'capstan.dev/restored-by': 'restore-uid' },
});

const planOf = (state: ControlPlaneState, change: Partial<ControlPlane> = {}) =>
  reconcile({ controlPlane: { ...controlPlaneOf(state), ...change } }, context());
const doing = (state: ControlPlaneState) => does(planOf(state)) ?? [];

describe('a control plane that is restored', () => {
  it('deletes every Machine of before at once, and creates none', () => {
    const actions = doing({ machines: three, restore: restoring('Stop') });
    expect(actions.filter((action) => action.startsWith('delete'))).toHaveLength(3);
    expect(actions.filter((action) => action.startsWith('create'))).toEqual([]);
    expect(doing({ machines: [], restore: restoring('Stop') }).join()).not.toMatch(/create|delete/);
  });

  it('forgets a creation that was under way', () => {
    const note = { [annotations.creating]: JSON.stringify({ name: 'kcp-x', init: false }) };
    const { intent } = planOf({ machines: [], annotations: note, restore: restoring('Stop') });
    expect(intent).toEqual({ metadata: { annotations: { [annotations.creating]: null } } });
  });

  it('creates one Machine on the snapshot, which initializes the cluster again', () => {
    const { intent, actions = [] } = planOf({ machines: [], restore: restoring('First') });
    expect(
      JSON.parse(
        String((intent?.metadata as { annotations: Record<string, string> }).annotations[annotations.creating]),
      ),
    ).toMatchObject({
      init: true,
      restore: { uid: 'restore-uid', file: { location: 'here/cluster/a.db', checksum: 'sha256:ab' } },
    });
    const created = actions.flatMap((action) => (action.do === 'create' ? [action.object] : []));
    const of = (kind: string) => created.find((object) => object.kind === kind)?.metadata.annotations ?? {};
    expect(JSON.parse(of('KubeadmConfig')['capstan.dev/restore-etcd'] ?? '')).toEqual({
      location: 'here/cluster/a.db',
      checksum: 'sha256:ab',
    });
    expect(of('Machine')['capstan.dev/restored-by']).toBe('restore-uid');
  });

  it('creates the same Machine again after a crash', () => {
    const creating = {
      name: 'kcp-x',
      init: true,
      restore: { uid: 'restore-uid', file: { location: 'l', checksum: 'c' } },
    };
    const note = { [annotations.creating]: JSON.stringify(creating) };
    const { actions = [] } = planOf({ machines: [], annotations: note, restore: restoring('First') });
    const names = actions.flatMap((action) => (action.do === 'create' ? [action.object.metadata.name] : []));
    expect(new Set(names)).toEqual(new Set(['kcp-x']));
  });

  it.each<{ rule: string; machines: MachineState[]; step: Restoring['step']; deletes: number; creates: boolean }>([
    { rule: 'waits for the first Machine alone', machines: [own(a)], step: 'First', deletes: 0, creates: false },
    {
      rule: 'deletes a Machine of before that comes late',
      machines: [own(a), b],
      step: 'First',
      deletes: 1,
      creates: false,
    },
    { rule: 'adds the others one by one', machines: [own(a)], step: 'Join', deletes: 0, creates: true },
    {
      rule: 'is complete with all of them',
      machines: [own(a), own(b), own(c)],
      step: 'Join',
      deletes: 0,
      creates: false,
    },
    { rule: 'never starts on the snapshot again', machines: [], step: 'Join', deletes: 0, creates: true },
  ])('$rule', ({ machines, step, deletes, creates }) => {
    const state = { machines, restore: restoring(step) };
    const plan = step === 'Join' ? scale(controlPlaneOf(state), context()) : planOf(state);
    const actions = plan?.actions ?? [];
    expect(actions.filter(({ do: verb }) => verb === 'delete')).toHaveLength(deletes);
    const configs = actions.flatMap((action) =>
      action.do === 'create' && action.object.kind === 'KubeadmConfig' ? [action.object] : [],
    );
    expect(configs).toHaveLength(creates ? 1 : 0);
    for (const { metadata } of configs)
      expect(metadata.annotations ?? {}).not.toHaveProperty('capstan.dev/restore-etcd');
  });

  it('notes the revision that its etcd began with', () => {
    const controlPlane = controlPlaneOf({ machines: [own(a)], restore: restoring('First') });
    const [member] = controlPlane.members;
    const file = { 'capstan.dev/restore-etcd': JSON.stringify({ location: 'l', checksum: 'c' }) };
    const config = { ...member!.config!, metadata: { ...member!.config!.metadata, annotations: file } };
    const found = { state: 'found', value: { id: '1', version: '3.6.6', revision: 1_000_000_044, dbSize: 1 } } as const;
    const reading = (restored: ControlPlane['live']['restored']) =>
      noteRevision({
        ...controlPlane,
        members: [{ ...member!, config }],
        live: { ...controlPlane.live, ...(restored && { restored }) },
      });
    expect(reading(found)?.actions).toMatchObject([
      { do: 'patch', patch: { metadata: { annotations: { 'capstan.dev/restored-revision': '1000000044' } } } },
    ]);
    expect(reading({ state: 'unreadable', reason: 'no answer' })).toEqual({
      waitsFor: ['The revision of the restored etcd could not be read: no answer'],
      requeueAfter: 15,
    });
    expect(reading(undefined)).toBeUndefined();
  });

  it('deletes the Nodes of hosts that are proven to be off, and no others', () => {
    const controlPlane = controlPlaneOf({ machines: [own(a)], restore: restoring('Join') });
    const node = (name: string, providerID?: string) => ({
      ...controlPlane.workload!.nodes[0]!,
      name,
      ...(providerID && { providerID }),
    });
    const nodes = [node('old', 'aws:///zone/i-old'), node('new', 'aws:///zone/i-new'), node('strange')];
    const plan = deleteOldNodes({ ...controlPlane, workload: { ...controlPlane.workload!, nodes } });
    expect(plan?.actions).toMatchObject([{ operation: 'delete', input: { kind: 'Node', name: 'old' } }]);
  });
});
